// Blocks and their warps: which lanes run together, where they diverge, wait and converge, and their memory requests.
#include <algorithm>
#include <functional>
#include <set>

#include "lens/machine_code/lane.hpp"
#include "lens/requests.hpp"

namespace upsweep::lens::machine_code {

bool instruction::has(std::string_view form) const {
  return std::find(forms.begin(), forms.end(), form) != forms.end();
}

namespace {

// They order memory, which here is in order anyway, or do nothing.
const std::set<std::string, std::less<>> orders_alone{"NOP",       "YIELD", "MEMBAR",       "ERRBAR",
                                                      "CGAERRBAR", "CCTL",  "ENDCOLLECTIVE"};

enum class waits : std::uint8_t { no, converge, sync, block };

struct group {
  std::uint32_t mask = 0, at = 0;
  waits for_what = waits::no;
  std::uint32_t barrier = 0, with = 0;  // convergence: which; sync: the lanes that are waited for
};

unsigned bytes_of(const instruction& i) { return i.has("U8") ? 1 : i.has("64") ? 8 : i.has("128") ? 16 : 4; }

class block_run {
 public:
  block_run(const launch& l, std::uint64_t number, std::vector<cost>& costs)
      : of_(l), block_{l, number}, costs_(costs) {
    warps_.resize((l.threads + 31) / 32);
    groups_.resize(warps_.size());
    for (unsigned k = 0; k < warps_.size(); ++k) {
      const unsigned lanes = std::min(32u, l.threads - 32 * k);
      const std::uint32_t mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
      warps_[k].first_thread = 32 * k;
      warps_[k].gone = ~mask;
      groups_[k].push_back({mask, 0});
    }
  }

  void to_its_end() {
    for (bool left = true; left;) {
      left = false;
      bool moved = false;
      for (std::size_t k = 0; k < warps_.size(); ++k) {
        for (std::size_t g = 0; g < groups_[k].size(); ++g)
          if (groups_[k][g].for_what == waits::no) {
            step(k, g);
            moved = true;
            break;
          }
        left = left || !groups_[k].empty();
      }
      if (left && !moved && !pass_barrier()) throw std::runtime_error(of_.what->name + ": nothing can go on");
    }
  }

 private:
  const instruction& at(const group& g) const {
    if (g.at / 16 >= of_.what->code.size()) throw std::runtime_error("past the end of " + of_.what->name);
    return of_.what->code[g.at / 16];
  }

  // Runs one group of lanes until it waits, has ended, or has run long enough for others to have a turn.
  void step(std::size_t k, std::size_t which) {
    warp& w = warps_[k];
    group g = groups_[k][which];
    groups_[k].erase(groups_[k].begin() + static_cast<std::ptrdiff_t>(which));
    for (unsigned turns = 0; turns < 4096; ++turns) {
      const instruction& i = at(g);
      lane_of one{w, block_, 0, g.mask};
      std::uint32_t on = 0;
      for (std::uint32_t rest = g.mask; rest != 0; rest &= rest - 1) {
        one.lane = static_cast<unsigned>(std::countr_zero(rest));
        on |= std::uint32_t{one.truth(i.guard)} << one.lane;
      }
      cost& c = costs_[g.at / 16];
      c.issued += 1, c.lanes += static_cast<std::uint64_t>(std::popcount(on));
      if (on == 0) c.for_none += 1;
      if (!turns_a_corner(w, k, g, i, on)) {
        if (g.mask == 0) return;
        continue;
      }
      if (on != 0) does(w, i, on, c);
      g.at += 16;
    }
    groups_[k].push_back(g);
  }

  // Returns false if lanes branch or wait; g is then the group that is still running.
  bool turns_a_corner(warp& w, std::size_t k, group& g, const instruction& i, std::uint32_t on) {
    const std::uint32_t next = g.at + 16;
    const auto also = [&](std::size_t operand_at) {  // a second predicate
      std::uint32_t those = 0;
      for (std::uint32_t rest = on; rest != 0; rest &= rest - 1) {
        lane_of one{w, block_, static_cast<unsigned>(std::countr_zero(rest)), on};
        those |= std::uint32_t{one.truth(i.with[operand_at])} << one.lane;
      }
      return those;
    };
    const auto wait = [&](std::uint32_t lanes, waits for_what, std::uint32_t barrier, std::uint32_t with) {
      groups_[k].push_back({lanes, next, for_what, barrier, with});
      g.mask &= ~lanes, g.at = next;
      meet(w, k);
    };
    if (i.name == "BRA" && i.has("DIV")) {
      lane_of one{w, block_, static_cast<unsigned>(std::countr_zero(g.mask)), g.mask};
      if (on != 0 && one.word(i.with[0]) != g.mask) refuse(i, "lanes of the mask are elsewhere");
      g.at = next;
      return false;
    }
    if (i.name == "BRA" || i.name == "CALL") {
      if (i.with.size() == 2 && is_truth(i.with[0])) on = also(0);
      const auto target = static_cast<std::uint32_t>(i.with.back().value);
      if (const std::uint32_t stay = g.mask & ~on; on == 0) {
        g.at = next;
      } else if (stay == 0) {
        g.at = target;
      } else {
        groups_[k].push_back({on, target});
        g.mask = stay, g.at = next;
      }
      return false;
    }
    if (i.name == "RET") {
      if (on != g.mask) refuse(i, "some lanes stay");
      g.at = w.r[i.with[0].index][static_cast<unsigned>(std::countr_zero(on))];
      return false;
    }
    if (i.name == "EXIT") {
      if (!i.with.empty()) on = also(0);
      w.gone |= on, g.mask &= ~on, g.at = next;
      if (on != 0) meet(w, k);
      return false;
    }
    if (i.name == "BSSY") {
      const unsigned b = i.with[0].index;
      for (std::uint32_t rest = g.mask; rest != 0; rest &= rest - 1)
        w.together[b][static_cast<unsigned>(std::countr_zero(rest))] = g.mask;
      w.target[b] = static_cast<std::uint32_t>(i.with[1].value);
      g.at = next;
      return false;
    }
    if (i.name == "BREAK") {
      const unsigned b = i.with[0].index;
      for (std::uint32_t& mask : w.together[b]) mask &= ~on;
      g.at = next;
      meet(w, k);
      return false;
    }
    if (i.name == "BSYNC") {
      const unsigned b = i.with[0].index;
      wait(on, waits::converge, b, w.together[b][static_cast<unsigned>(std::countr_zero(on))]);
      return false;
    }
    if (i.name == "WARPSYNC") {
      if (i.has("COLLECTIVE")) refuse(i, "lanes are apart");
      const std::uint32_t mask =
          i.has("ALL") ? ~0u : lane_of{w, block_, static_cast<unsigned>(std::countr_zero(on)), on}.word(i.with[0]);
      wait(on, waits::sync, next, mask);
      return false;
    }
    if (i.name == "BAR") {
      wait(on, waits::block, 0, 0);
      return false;
    }
    return true;
  }

  // Lanes that have all come to where they converge go on as one.
  void meet(warp& w, std::size_t k) {
    std::vector<group>& all = groups_[k];
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (all[a].for_what != waits::converge && all[a].for_what != waits::sync) continue;
      const group first = all[a];
      std::uint32_t there = 0, wanted = first.with;
      if (first.for_what == waits::converge)
        wanted = w.together[first.barrier][static_cast<unsigned>(std::countr_zero(first.mask))];
      const auto same = [&](const group& g) {
        return g.for_what == first.for_what && g.barrier == first.barrier && (g.mask & wanted) != 0;
      };
      for (const group& g : all)
        if (same(g)) there |= g.mask;
      if ((wanted & ~w.gone & ~there) != 0) continue;
      std::erase_if(all, same);
      all.push_back({there, first.for_what == waits::converge ? w.target[first.barrier] : first.at});
      a = static_cast<std::size_t>(-1);  // from the beginning
    }
  }

  // If all remaining threads wait at the block's barrier, they continue; threads of a warp that wait at the same
  // instruction continue together.
  bool pass_barrier() {
    bool any = false;
    for (std::vector<group>& of_warp : groups_)
      for (const group& g : of_warp) {
        if (g.for_what != waits::block) return false;
        any = true;
      }
    for (std::vector<group>& of_warp : groups_) {
      std::vector<group> merged;
      for (const group& g : of_warp) {
        const auto same = std::find_if(merged.begin(), merged.end(), [&](const group& m) { return m.at == g.at; });
        if (same != merged.end())
          same->mask |= g.mask;
        else
          merged.push_back({g.mask, g.at});
      }
      of_warp = std::move(merged);
    }
    return any;
  }

  unsigned char* place(std::uint64_t address, unsigned bytes, bool shared, const instruction& i) {
    if (address % bytes != 0) refuse(i, "an address off alignment");
    if (shared) {
      if (address + bytes > shared_bytes) refuse(i, "outside of shared memory");
      return block_.shared.data() + address;
    }
    for (const memory_range& m : of_.memory)
      if (address >= m.first && address + bytes <= m.last) return reinterpret_cast<unsigned char*>(address);
    refuse(i, "outside of all memory");
  }

  void counts(const std::uint64_t* address, std::uint32_t on, unsigned bytes, bool shared, bool atomic, cost& c) {
    const request_cost t = shared ? count_wavefronts(address, on, bytes) : count_sectors(address, on, bytes, atomic);
    c.requests += 1;
    c.sectors += t.sectors, c.ideal_sectors += t.ideal_sectors;
    c.wavefronts += t.wavefronts, c.ideal_wavefronts += t.ideal_wavefronts;
  }

  // The effect of the instruction on the active lanes.
  void does(warp& w, const instruction& i, std::uint32_t on, cost& c) {
    const auto each = [&](auto f) {
      for (std::uint32_t rest = on; rest != 0; rest &= rest - 1) {
        lane_of one{w, block_, static_cast<unsigned>(std::countr_zero(rest)), on};
        f(one);
      }
    };
    const auto ballot = [&](const operand& o) {
      std::uint32_t those = 0;
      each([&](lane_of& l) { those |= std::uint32_t{l.truth(o)} << l.lane; });
      return those;
    };
    if (i.each_lane != nullptr) {
      if (is_once_a_warp(i.name)) {
        lane_of first{w, block_, static_cast<unsigned>(std::countr_zero(on)), on};
        return i.each_lane(first, i);
      }
      return each([&](lane_of& l) { i.each_lane(l, i); });
    }
    if (orders_alone.contains(i.name)) return;
    if (i.name == "VOTE" || i.name == "VOTEU") {
      const std::uint32_t those = ballot(i.with.back());
      const bool found = i.has("ALL") ? those == on : those != 0;
      each([&](lane_of& l) {
        for (std::size_t k = 0; k + 1 < i.with.size(); ++k)
          if (is_truth(i.with[k]))
            l.set_truth(i.with[k], found);
          else
            l.set(i.with[k], those);
      });
      return;
    }
    if (i.name == "MATCH") {
      std::array<std::uint64_t, 32> v{};
      each([&](lane_of& l) { v[l.lane] = i.has("U64") ? l.pair(i.with[1]) : l.word(i.with[1]); });
      each([&](lane_of& l) {
        std::uint32_t same = 0;
        for (std::uint32_t rest = on; rest != 0; rest &= rest - 1)
          same |= std::uint32_t{v[static_cast<unsigned>(std::countr_zero(rest))] == v[l.lane]}
                  << std::countr_zero(rest);
        l.set(i.with[0], same);
      });
      return;
    }
    if (i.name == "SHFL") return shuffle(w, i, on);
    memory(w, i, on, c);
  }

  void shuffle(warp& w, const instruction& i, std::uint32_t on) {
    std::array<std::uint32_t, 32> v{};
    for (unsigned lane = 0; lane < 32; ++lane) v[lane] = lane_of{w, block_, lane, on}.word(i.with[2]);
    for (std::uint32_t rest = on; rest != 0; rest &= rest - 1) {
      lane_of l{w, block_, static_cast<unsigned>(std::countr_zero(rest)), on};
      const unsigned by = l.word(i.with[3]) & 31, how = l.word(i.with[4]);
      const unsigned segment = how >> 8 & 31, clamp = how & 31;
      const int most = static_cast<int>((l.lane & segment) | (clamp & ~segment)), me = static_cast<int>(l.lane);
      int from;
      bool in;
      if (i.has("UP"))
        from = me - static_cast<int>(by), in = from >= most;
      else if (i.has("DOWN"))
        from = me + static_cast<int>(by), in = from <= most;
      else if (i.has("BFLY"))
        from = me ^ static_cast<int>(by), in = from <= most;
      else
        from = static_cast<int>((l.lane & segment) | (by & ~segment)), in = from <= most;
      if (!in) from = me;
      if ((on >> from & 1) == 0 && i.with[1].index != no_register) v[static_cast<unsigned>(from)] = 0xdeadbeef;
      l.set_truth(i.with[0], in);
      l.set(i.with[1], v[static_cast<unsigned>(from)]);
    }
  }

  void memory(warp& w, const instruction& i, std::uint32_t on, cost& c) {
    const auto is = [&](const char* name) { return i.name == name; };
    const bool shared = is("LDS") || is("STS") || is("ATOMS"), load = is("LDS") || is("LDG"),
               store = is("STS") || is("STG");
    const bool atomic = is("ATOMS") || is("ATOMG") || is("REDG");
    if (!load && !store && !atomic) refuse(i, "not known");
    const auto where = static_cast<std::size_t>(
        std::find_if(i.with.begin(), i.with.end(), [](const operand& o) { return o.is == kind::address; }) -
        i.with.begin());
    const unsigned bytes = bytes_of(i);
    std::array<std::uint64_t, 32> address{};
    for (std::uint32_t rest = on; rest != 0; rest &= rest - 1) {
      lane_of l{w, block_, static_cast<unsigned>(std::countr_zero(rest)), on};
      address[l.lane] = l.address(i.with[where]);
      unsigned char* at = place(address[l.lane], bytes, shared, i);
      std::array<std::uint32_t, 4> words{};
      if (load) {
        std::memcpy(words.data(), at, bytes);
        for (unsigned part = 0; part < std::max(1u, bytes / 4); ++part) l.set(i.with[0], words[part], part);
      } else if (store) {
        for (unsigned part = 0; part < std::max(1u, bytes / 4); ++part) words[part] = l.raw(i.with[where + 1], part);
        std::memcpy(at, words.data(), bytes);
      } else {
        std::uint64_t before = 0, by = 1;
        std::memcpy(&before, at, bytes);
        if (!i.has("INC")) {
          if (!i.has("ADD")) refuse(i, "not known");
          by = bytes == 8 ? l.pair(i.with[where + 1]) : l.word(i.with[where + 1]);
        }
        const std::uint64_t after = before + by;
        std::memcpy(at, &after, bytes);
        if (where > 0 && bytes == 8)
          l.set_pair(i.with[where - 1], before);
        else if (where > 0)
          l.set(i.with[where - 1], static_cast<std::uint32_t>(before));
      }
    }
    counts(address.data(), on, bytes, shared, atomic, c);
  }

  const launch& of_;
  block_of block_;
  std::vector<cost>& costs_;
  std::vector<warp> warps_;
  std::vector<std::vector<group>> groups_;
};

}  // namespace

std::vector<cost> run(const launch& l) {
  std::vector<cost> costs(l.what->code.size());
  for (std::uint64_t b = 0; b < l.blocks; ++b) block_run(l, b, costs).to_its_end();
  return costs;
}

}  // namespace upsweep::lens::machine_code
