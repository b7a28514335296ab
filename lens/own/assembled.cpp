// Assembly, carried out by the thread that runs.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "lens/cuda.hpp"
#include "lens/own/device.hpp"
#include "upsweep/half.hpp"

namespace upsweep::lens::own {

using upsweep_lens::operand;

namespace {

std::uint64_t low(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
std::int64_t with_sign(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

bool less(std::uint64_t a, std::uint64_t b, char type, unsigned bits) {
  return type == 's' ? with_sign(a, bits) < with_sign(b, bits) : low(a, bits) < low(b, bits);
}

std::uint64_t added(std::uint64_t a, std::uint64_t b, const ptx_instruction& i) {
  const bool subtract = i.code == "sub";
  if (i.type() != 'f') return low(subtract ? a - b : a + b, i.bits());
  if (i.bits() == 32) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(a)),
               y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    const float sum = subtract ? x - y : x + y;
    return std::isnan(sum) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(sum);  // the one NaN that a GPU's sum can be
  }
  const auto x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
  return std::bit_cast<std::uint64_t>(subtract ? x - y : x + y);
}

std::uint64_t chosen_bits(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t table) {
  std::uint64_t all = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1) all |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  return low(all, 32);
}

std::uint64_t lanes(std::uint64_t relation, unsigned lane) {
  const std::uint64_t below = (std::uint64_t{1} << lane) - 1, here = std::uint64_t{1} << lane;
  switch (relation) {
    case 0: return below;
    case 1: return below | here;
    case 2: return low(~(below | here), 32);
    case 3: return low(~below, 32);
    default: return here;
  }
}

bool compared(std::uint64_t a, std::uint64_t b, const ptx_instruction& i) {
  const unsigned bits = i.bits();
  const bool equal = low(a, bits) == low(b, bits), before = less(a, b, i.type(), bits);
  if (i.has("eq")) return equal;
  if (i.has("ne")) return !equal;
  if (i.has("lt") || i.has("lo")) return before;
  if (i.has("le") || i.has("ls")) return before || equal;
  if (i.has("gt") || i.has("hi")) return !before && !equal;
  return !before;
}

}  // namespace

// A thread's statement, from its first instruction to its last.
class assembled {
 public:
  assembled(device& d, const ptx_statement& s, const operand* operands, const void* from)
      : device_(d), statement_(s), operands_(operands), from_(from) {}

  void run() {
    for (std::size_t i = 0; i < statement_.all.size(); ++i) {
      const ptx_instruction& now = statement_.all[i];
      if (now.guard >= 0 && (own_[static_cast<std::size_t>(now.guard)] != 0) == now.unless) continue;
      if (now.code == "bra") {
        i = now.target - 1;
        continue;
      }
      at_ = static_cast<unsigned>(i);
      do_one(now);
    }
  }

 private:
  std::uint64_t get(const ptx_value& v) const {
    switch (v.what) {
      case ptx_value::operand: {
        std::uint64_t bits = 0;
        std::memcpy(&bits, operands_[v.bits].at, std::min<std::size_t>(operands_[v.bits].bytes, 8));
        return bits;
      }
      case ptx_value::own: return own_[v.bits];
      case ptx_value::lane_mask: return lanes(v.bits, device_.machine_.self->lane);
      case ptx_value::lane_id: return device_.machine_.self->lane;
      case ptx_value::of_cluster: return device_.of_cluster(static_cast<int>(v.bits));
      default: return v.bits;
    }
  }
  std::uint64_t get(const ptx_instruction& i, std::size_t which) const {
    return which < i.arguments.size() ? get(i.arguments[which].values[0]) : 0;
  }
  void set(const ptx_value& v, std::uint64_t bits) {
    if (v.what == ptx_value::own) own_[v.bits] = bits;
    if (v.what == ptx_value::operand)
      std::memcpy(operands_[v.bits].at, &bits, std::min<std::size_t>(operands_[v.bits].bytes, 8));
  }
  void set(const ptx_instruction& i, std::uint64_t bits) { set(i.arguments[0].values[0], bits); }

  where place() const { return device_.place(from_, 64 + at_); }
  unsigned char* address(const ptx_instruction& i, std::size_t which, bool shared) {
    const std::uint64_t at = get(i, which) + static_cast<std::uint64_t>(i.arguments[which].offset);
    return shared ? device_.in_shared(static_cast<std::uint32_t>(at), place()) : reinterpret_cast<unsigned char*>(at);
  }
  static bool shared(const ptx_instruction& i) {
    return i.has("shared") || i.has("shared::cta") || i.has("shared::cluster");
  }

  void do_one(const ptx_instruction& i) {
    const std::string& code = i.code;
    const unsigned bits = i.bits();
    if (code == "mov") return set(i, low(get(i, 1), bits));
    if (code == "add" || code == "sub") return set(i, added(get(i, 1), get(i, 2), i));
    if (code == "rsqrt") {
      if (bits == 32)
        return set(i, std::bit_cast<std::uint32_t>(
                          1 / std::sqrt(std::bit_cast<float>(static_cast<std::uint32_t>(get(i, 1))))));
      return set(i, std::bit_cast<std::uint64_t>(1 / std::sqrt(std::bit_cast<double>(get(i, 1)))));
    }
    if (code == "and") return set(i, get(i, 1) & get(i, 2));
    if (code == "or") return set(i, get(i, 1) | get(i, 2));
    if (code == "xor") return set(i, get(i, 1) ^ get(i, 2));
    if (code == "not") return set(i, low(~get(i, 1), bits));
    if (code == "shl") return set(i, get(i, 2) >= bits ? 0 : low(get(i, 1) << get(i, 2), bits));
    if (code == "shr") return set(i, shifted(i));
    if (code == "min") return set(i, less(get(i, 2), get(i, 1), i.type(), bits) ? get(i, 2) : get(i, 1));
    if (code == "max") return set(i, less(get(i, 1), get(i, 2), i.type(), bits) ? get(i, 2) : get(i, 1));
    if (code == "popc") return set(i, static_cast<std::uint64_t>(std::popcount(low(get(i, 1), bits))));
    if (code == "selp") return set(i, get(i, 3) != 0 ? get(i, 1) : get(i, 2));
    if (code == "setp") return set(i, compared(get(i, 1), get(i, 2), i));
    if (code == "lop3") return set(i, chosen_bits(get(i, 1), get(i, 2), get(i, 3), get(i, 4)));
    if (code == "cvt" && i.has("f16")) {
      if (i.has("rn")) return set(i, half(std::bit_cast<float>(static_cast<std::uint32_t>(get(i, 1)))).bits);
      return set(i, std::bit_cast<std::uint32_t>(float(half::of_bits(static_cast<std::uint16_t>(get(i, 1))))));
    }
    if (code == "cvt") {
      const auto byte = [&](std::size_t which) {
        return std::clamp<std::int64_t>(with_sign(get(i, which), 32), 0, 255);
      };
      return set(i, low(get(i, 3) << 16 | static_cast<std::uint64_t>(byte(1) << 8 | byte(2)), 32));
    }
    if (code == "activemask") return set(i, company(place()));
    if (code == "vote") {
      const auto votes = voted(static_cast<unsigned>(get(i, 2)), get(i, 1) != 0, place(), take_votes);
      return set(i, votes.yes);
    }
    if (code == "ld") return load(i);
    if (code == "st") return store(i);
    if (code == "red" || code == "atom") return update(i);
    if (code == "fence" && i.has("proxy")) return device_.machine_.fence_engines(place()), device_.publish_barriers();
    if (code == "fence" && i.has("mbarrier_init")) return device_.machine_.fence(place()), device_.publish_barriers();
    if (code == "membar" || code == "fence") return device_.machine_.fence(place());
    if (code == "barrier" && i.has("cluster")) {
      if (i.has("wait")) return device_.machine_.cluster_wait(place());
      return device_.machine_.cluster_arrive(place(), !i.has("relaxed"));
    }
    if (code == "bar" || code == "barrier") return barrier(i);
    if (code == "cp") return i.has("bulk") ? copy_in_bulk(i) : copy(i);
    if (code == "mbarrier") return of_arrivals(i);
    if (code == "mapa") return map_address(i);
    if (code == "getctarank") return set(i, device_.rank_of(address(i, 1, shared(i)), place()));
    if (code == "griddepcontrol" && i.has("wait")) return device_.machine_.wait_for_grid(place());
    // Hints.
  }
  void map_address(const ptx_instruction& i) {
    unsigned char* const there = device_.of_block(address(i, 1, shared(i)), static_cast<unsigned>(get(i, 2)), place());
    set(i, low(reinterpret_cast<std::uintptr_t>(there), bits_of_address(i)));
  }
  static unsigned bits_of_address(const ptx_instruction& i) { return shared(i) ? 32 : 64; }
  std::uint64_t shifted(const ptx_instruction& i) const {
    const unsigned bits = i.bits();
    const std::uint64_t by = std::min<std::uint64_t>(get(i, 2), 63);
    if (i.type() == 's') return low(static_cast<std::uint64_t>(with_sign(get(i, 1), bits) >> by), bits);
    return get(i, 2) >= bits ? 0 : low(get(i, 1), bits) >> by;
  }

  void load(const ptx_instruction& i) {
    const unsigned bytes = i.bits() / 8, all = bytes * i.vector();
    unsigned char* const at = address(i, 1, shared(i));
    const bool flag = i.has("relaxed") || i.has("acquire");
    if (flag) {
      device_.look_at_flag(at, all, i.has("acquire"), place());
    } else {
      device_.access(at, all, i.has("volatile") ? upsweep_lens::volatile_load : upsweep_lens::load, from_);
    }
    for (unsigned k = 0; k < i.vector(); ++k) {
      std::uint64_t value = 0;
      std::memcpy(&value, at + k * bytes, bytes);
      if (i.type() == 's') value = static_cast<std::uint64_t>(with_sign(value, 8 * bytes));
      set(i.arguments[0].values[k], value);
    }
  }
  void store(const ptx_instruction& i) {
    const unsigned bytes = i.bits() / 8, all = bytes * i.vector();
    unsigned char* const at = address(i, 0, shared(i));
    const bool flag = i.has("relaxed") || i.has("release");
    if (!flag) device_.access(at, all, i.has("volatile") ? upsweep_lens::volatile_store : upsweep_lens::store, from_);
    std::array<unsigned char, 32> value{};
    for (unsigned k = 0; k < i.vector(); ++k) {
      const std::uint64_t one = get(i.arguments[1].values[k]);
      std::memcpy(value.data() + k * bytes, &one, bytes);
    }
    if (flag) return device_.set_flag(at, value.data(), all, i.has("release"), place());
    std::memcpy(at, value.data(), all);
  }
  void update(const ptx_instruction& i) {
    const bool returns = i.code == "atom";
    const std::size_t first = returns ? 1 : 0;
    const unsigned bits = i.bits();
    unsigned char* const at = address(i, first, shared(i));
    const std::uint64_t v = low(get(i, first + 1), bits), other = low(get(i, first + 2), bits);
    const std::uint64_t before =
        device_.update_flag(at, bits / 8, i.has("acquire") || i.has("acq_rel"), i.has("release") || i.has("acq_rel"),
                            place(), [&](std::uint64_t old) -> std::uint64_t {
                              if (i.has("add")) {
                                ptx_instruction sum = i;
                                sum.code = "add";
                                return added(old, v, sum);
                              }
                              if (i.has("exch")) return v;
                              if (i.has("cas")) return old == v ? other : old;
                              if (i.has("min")) return less(v, old, i.type(), bits) ? v : old;
                              if (i.has("max")) return less(old, v, i.type(), bits) ? v : old;
                              if (i.has("and")) return old & v;
                              if (i.has("or")) return old | v;
                              return old ^ v;
                            });
    if (returns) set(i, before);
  }
  void barrier(const ptx_instruction& i) {
    if (i.arguments.size() < 2 && get(i, 0) == 0) return device_.machine_.block_barrier(place(), false);
    const auto threads =
        i.arguments.size() < 2 ? device_.machine_.self->of->of->size : static_cast<unsigned>(get(i, 1));
    device_.machine_.named_barrier(place(), static_cast<unsigned>(get(i, 0)), threads);
  }

  // Copies complete when a thread waits for them; until then their destinations hold the old values.
  void copy(const ptx_instruction& i) {
    auto& waiting = device_.copies_under_way();
    if (i.has("commit_group")) {
      ++waiting.groups;
      return;
    }
    if (i.has("wait_all")) return device_.end_copies(0, true, from_);
    if (i.has("wait_group")) return device_.end_copies(get(i, 0), false, from_);
    if (i.has("mbarrier")) {
      device_.end_copies(0, true, from_);
      arrive(address(i, 0, true), 1);
      return;
    }
    const auto bytes = static_cast<unsigned>(get(i, 2));
    const auto there = i.arguments.size() > 3 ? static_cast<unsigned>(get(i, 3)) : bytes;
    waiting.all.push_back(
        {address(i, 0, true), address(i, 1, false), bytes, there, waiting.groups, device_.place(from_, 64 + at_)});
  }

  void copy_in_bulk(const ptx_instruction& i) {
    if (i.has("prefetch")) return;
    if (i.has("commit_group")) return device_.close_group();
    if (i.has("wait_group")) return device_.wait_for_groups(get(i, 0), i.has("read"), place());
    const std::uint64_t bytes = get(i, 2);
    if (i.has("bulk_group")) return device_.store_in_bulk(address(i, 0, false), address(i, 1, true), bytes, place());
    device_.load_in_bulk(address(i, 0, true), address(i, 1, !i.has("global")), bytes, address(i, 3, true), place());
  }

  std::uint64_t arrive(unsigned char* at, std::uint64_t times, std::int64_t expected = 0, bool orders = true) {
    return device_.arrive_at_barrier(at, times, expected, orders, place());
  }
  void of_arrivals(const ptx_instruction& i) {
    if (i.has("init")) return device_.begin_barrier(address(i, 0, true), get(i, 1), place());
    if (i.has("inval")) return device_.end_barrier(address(i, 0, true), place());
    if (i.has("arrive")) {
      // The state it returns, and how many it arrives for or how many bytes it expects.
      const bool expects = i.has("expect_tx"), counts = !expects && i.arguments.size() > 2;
      const std::uint64_t before = arrive(address(i, 1, true), counts ? get(i, 2) : 1,
                                          expects ? static_cast<std::int64_t>(get(i, 2)) : 0, !i.has("relaxed"));
      return set(i, before);
    }
    if (i.has("expect_tx") || i.has("complete_tx")) {
      const auto bytes = static_cast<std::int64_t>(get(i, 1));
      arrive(address(i, 0, true), 0, i.has("expect_tx") ? bytes : -bytes, false);
      return;
    }
    const std::uint64_t asked = get(i, 2);
    const bool done =
        device_.barrier_has_passed(address(i, 1, true), i.has("parity") ? asked & 1 : asked, i.has("parity"), place());
    set(i, done);
  }

  device& device_;
  const ptx_statement& statement_;
  const operand* operands_;
  const void* from_;
  unsigned at_ = 0;
  std::array<std::uint64_t, 16> own_{};
};

void device::assemble(const char* text, const operand* operands, const void* from) {
  last_from_ = from;
  auto& known = statements_[text];
  if (known == nullptr) known = std::make_unique<ptx_statement>(read_ptx(text));
  if (!known->wrong.empty() || known->registers > 16) {
    machine_.found(fault_kind::bad_call, "the assembly at " + text_of(place(from)) +
                                             " has an instruction that the lens does not understand: " + known->wrong);
    machine_.halt();
  }
  assembled(*this, *known, operands, from).run();
}

// The location of the address: in the memory of this block or of another block of the cluster, or close to it.
unsigned char* device::in_shared(std::uint32_t address, const where& w) {
  const block& mine = *machine_.self->of->of;
  for (const std::int64_t beside : {0, 1 << 19}) {
    const auto within = [&](const block& b) -> unsigned char* {
      for (auto& [key, r] : of_block_[b.id]) {
        const auto offset =
            static_cast<std::int32_t>(address - static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(r->begin)));
        if (offset >= -beside && offset < static_cast<std::int64_t>(r->bytes) + beside) return r->begin + offset;
      }
      return nullptr;
    };
    if (unsigned char* const at = within(mine)) return at;
    for (const block* b : mine.of->blocks)
      if (unsigned char* const at = b == &mine ? nullptr : within(*b)) return at;
  }
  machine_.found(fault_kind::out_of_bounds, machine_.me() + " uses the address " + std::to_string(address) +
                                                " in shared memory, where the block has none, at " + text_of(w));
  machine_.halt();
}

void device::look_at_flag(unsigned char* at, unsigned size, bool acquire, const where& w) {
  const touched t = checked(at, size, upsweep_lens::load, w);
  if (t.m == nullptr) return;
  machine_.touch_raw(*t.m, t.offset, size, t.r->where == space::shared ? event::shared_load : event::global_load, w,
                     true);
  machine_.poll(*t.m, t.flag(), value_at(at, size));
  if (acquire) machine_.acquire_seen(*t.m, t.flag());
}

void device::set_flag(unsigned char* at, const unsigned char* value, unsigned size, bool release, const where& w) {
  const touched t = checked(at, size, upsweep_lens::store, w);
  if (t.m == nullptr) return;
  machine_.touch_raw(*t.m, t.offset, size, t.r->where == space::shared ? event::shared_store : event::global_store, w,
                     true);
  std::memcpy(at, value, size);
  machine_.release_flag(*t.m, t.flag(), release ? ordering::full : ordering::relaxed);
}

std::uint64_t device::update_flag(unsigned char* at, unsigned size, bool acquire, bool release, const where& w,
                                  const std::function<std::uint64_t(std::uint64_t)>& f) {
  const touched t = checked(at, size, upsweep_lens::update, w);
  if (t.m == nullptr) return 0;
  machine_.touch_raw(*t.m, t.offset, size, t.r->where == space::shared ? event::shared_atomic : event::global_atomic, w,
                     true);
  const std::uint64_t before = value_at(at, size), after = f(before);
  if (before != after) machine_.stored();
  std::memcpy(at, &after, size);
  if (acquire) machine_.acquire_seen(*t.m, t.flag());
  if (release) machine_.release_flag(*t.m, t.flag(), ordering::added);
  return before;
}

device::copies& device::copies_under_way() { return copies_[{machine_.self->of->of->id, machine_.self->index}]; }

// Completes the copies of all groups except the last `left`, or of every group.
void device::end_copies(std::uint64_t left, bool all, const void* from) {
  copies& waiting = copies_under_way();
  std::vector<copies::one> still;
  for (const copies::one& c : waiting.all) {
    if (!all && c.group + left >= waiting.groups) {
      still.push_back(c);
      continue;
    }
    if (c.there > 0) touch(c.from, c.there, upsweep_lens::load, c.at);
    touch(c.to, c.bytes, upsweep_lens::store, c.at);
    std::memcpy(c.to, c.from, c.there);
    std::memset(c.to + c.there, 0, c.bytes - c.there);
  }
  waiting.all = std::move(still);
  if (waiting.all.empty()) copies_.erase({machine_.self->of->of->id, machine_.self->index});
  last_from_ = from;
}

}  // namespace upsweep::lens::own
