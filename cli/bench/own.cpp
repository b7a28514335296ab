#include "cli/bench/own.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

#include "peers/own.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/select/select_problem.hpp"
#include "upsweep/sort/sort_problem.hpp"

using upsweep::context;
using upsweep::device;
using upsweep::memory;
using upsweep::peers::own_less;
using upsweep::peers::own_operands;
using upsweep::peers::own_side;
using upsweep::peers::own_test;
using upsweep::peers::own_work;
using upsweep::peers::with_element;
namespace peers = upsweep::peers;

namespace bench {

namespace {

constexpr std::uint64_t piece = 1 << 16;

const char* form_of(own_work w) {
  switch (w) {
    case own_work::sort_words: return "sort, u32 by a user-defined comparison";
    case own_work::sort_12_bytes: return "sort, records of 12 bytes by a user-defined comparison";
    case own_work::sort_32_bytes: return "sort, records of 32 bytes by a user-defined comparison";
    default: return "select, u32 by a user-defined predicate, half";
  }
}

bool asked_for(own_work w, const device& d, const plan& wanted) {
  const auto here = [&](const own_side& s) { return !s.peer && s.where == d.kind(); };
  if (std::ranges::none_of(peers::own_sides(), here)) return false;
  if (std::ranges::count(wanted.types, upsweep::dtype::u32) == 0) return false;
  if (std::string_view(form_of(w)).find(wanted.form) == std::string_view::npos) return false;
  const char* const primitive = w == own_work::select_words ? "select" : "sort";
  return wanted.names.empty() || std::ranges::count(wanted.names, "own") != 0 ||
         std::ranges::count(wanted.names, primitive) != 0;
}

// The sum of f(i) over [0, n), in parallel.
template <class F>
std::uint64_t sum(std::uint64_t n, F f) {
  std::atomic<std::uint64_t> all{0};
  upsweep::cpu::for_each_piece(n, piece, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t here = 0;
    for (std::uint64_t i = first; i < last; ++i) here += f(i);
    all += here;
  });
  return all;
}

template <class T>
std::uint64_t hash(const T& x) {
  std::uint32_t words[sizeof(T) / 4];
  std::memcpy(words, &x, sizeof x);
  std::uint64_t h = 0;
  for (const std::uint32_t w : words) h = upsweep::mixed(h ^ w);
  return h;
}

// Random elements on the host and in several copies on the device, and the check of results.
template <class T>
class own_data {
 public:
  own_data(device& d, own_work w, std::uint64_t n, std::uint64_t seed, bool shifted)
      : device_(d), work_(w), n_(n), in_(new T[n]) {
    const std::uint64_t bytes = n * sizeof(T), shift = shifted ? sizeof(T) : 0, each = 2 * (bytes + shift) + 16;
    const std::uint64_t free = d.free_memory(), taken = d.kind() == upsweep::backend::cpu ? 2 * bytes : 0;
    const std::uint64_t usable = free - free / 10;
    // A sort wants as much again.
    if (2 * each + taken > usable)
      throw upsweep::error(
          upsweep::fault::out_of_memory, d.name(),
          std::to_string(2 * each + taken) + " bytes are needed and " + std::to_string(free) + " are free",
          "bench smaller sizes");
    upsweep::cpu::for_each_piece(n, piece, [&](std::uint64_t first, std::uint64_t last) {
      upsweep::fill_bytes(seed, in_.get() + first, first * sizeof(T), (last - first) * sizeof(T));
    });
    const std::uint64_t copies = std::clamp<std::uint64_t>(usable / 3 / each, 1, 3);
    for (std::uint64_t c = 0; c < copies; ++c) {
      own_operands o;
      o.n = n;
      for (memory* m : {&o.in, &o.out}) {
        held_.push_back(d.allocate(std::max<std::uint64_t>(bytes, 16) + shift));
        *m = held_.back().plus_bytes(shift);
      }
      held_.push_back(o.count = d.allocate(16));
      d.upload(o.in, in_.get(), bytes);
      copies_.push_back(o);
    }
  }
  own_data(const own_data&) = delete;
  own_data& operator=(const own_data&) = delete;
  ~own_data() {
    for (const memory m : held_) device_.deallocate(m);
  }

  const own_operands& first() const { return copies_[0]; }
  const own_operands& next() { return copies_[turn_++ % copies_.size()]; }
  std::vector<evictor::operand> all(const own_operands& o) const {
    return {{o.in, n_ * sizeof(T)}, {o.out, n_ * sizeof(T)}, {o.count, 8}};
  }

  // Empty, or what is wrong with what `run` makes of the first copy.
  std::string wrong(const std::function<void(const own_operands&)>& run) {
    const own_operands& o = first();
    device_.fill(o.out, upsweep::poison, n_ * sizeof(T));
    device_.fill(o.count, upsweep::poison, 8);
    run(o);
    device_.synchronize();
    std::unique_ptr<T[]> out(new T[n_]);
    device_.download(out.get(), o.out, n_ * sizeof(T));
    if constexpr (std::is_same_v<T, std::uint32_t>)
      if (work_ == own_work::select_words) {
        std::uint64_t count = 0, k = 0;
        device_.download(&count, o.count, 8);
        for (std::uint64_t i = 0; i < n_; ++i)
          if (own_test{}(in_[i]) && (k >= count || out[k++] != in_[i]))
            return "selected element " + std::to_string(i) + " is wrong or missing";
        return k == count ? "" : "the count is " + std::to_string(count) + ", not " + std::to_string(k);
      }
    const std::uint64_t breaches =
        sum(n_, [&](std::uint64_t i) { return i > 0 && own_less{}(out[i], out[i - 1]) ? 1u : 0u; });
    if (breaches > 0) return std::to_string(breaches) + " elements are less than the element before them";
    if (sum(n_, [&](std::uint64_t i) { return hash(in_[i]); }) !=
        sum(n_, [&](std::uint64_t i) { return hash(out[i]); }))
      return "the output is sorted but its elements are not those of the input";
    return {};
  }

 private:
  device& device_;
  own_work work_;
  std::uint64_t n_;
  std::unique_ptr<T[]> in_;
  std::vector<memory> held_;
  std::vector<own_operands> copies_;
  std::size_t turn_ = 0;
};

// One side, ready to be called.
struct one_side {
  std::function<void(const own_operands&)> call;
  double seconds = 0;  // of one warm call, roughly
  measurement row;
};

class own_session {
 public:
  own_session(const context& c, const std::vector<peers::ceiling>& ceilings, const plan& wanted, const listener& hears,
              results& to)
      : context_(c),
        device_(c.device()),
        ceilings_(ceilings),
        plan_(wanted),
        listener_(hears),
        results_(to),
        evict_(device_) {}

  void run(own_work w, bool shifted) {
    if (listener_.group) listener_.group(device_, row_of(w, plan_.sizes[0], shifted));
    for (const std::uint64_t n : plan_.sizes) try {
        with_element(w, [&]<class T>(upsweep::type_tag<T>) {
          own_data<T> data(device_, w, n, plan_.seed + n, shifted);
          run_size(w, n, shifted, data);
        });
      } catch (const upsweep::error& e) {
        if (e.why() != upsweep::fault::out_of_memory) throw;
        results_.skipped.push_back({"upsweep", device_.name(), form_of(w), n, e.problem(), false});
      }
  }

 private:
  measurement row_of(own_work w, std::uint64_t n, bool shifted) const {
    measurement m;
    m.device = device_.name();
    m.form = form_of(w);
    m.shifted = shifted;
    const double bytes =
        with_element(w, [&]<class T>(upsweep::type_tag<T>) { return static_cast<double>(n * sizeof(T)); });
    const bool selects = w == own_work::select_words;
    m.moves = {bytes, selects ? bytes / 2 : bytes};
    if (selects) {
      upsweep::detail::select_impl::problem p;
      p.n = n, p.type = upsweep::dtype::u32;
      m.shape = p;
    } else {
      upsweep::detail::sort_impl::problem p;
      p.n = n, p.type = upsweep::dtype::u32;
      m.shape = p;
    }
    set_roof(m, ceilings_);
    return m;
  }

  template <class T>
  void run_size(own_work w, std::uint64_t n, bool shifted, own_data<T>& data) {
    std::vector<one_side> all;
    for (const own_side& s : peers::own_sides()) {
      if (s.where != device_.kind() || !s.takes(w, n) || (s.peer && !plan_.peers)) continue;
      one_side c;
      c.row = row_of(w, n, shifted);
      c.row.who = s.name, c.row.version = s.version, c.row.note = s.note, c.row.setting = s.setting;
      c.row.peer = s.peer, c.row.chosen = !s.peer;
      if (listener_.now) listener_.now("checking " + s.name + " on " + device_.name() + ", " + form_of(w));
      try {
        c.call = s.prepare(context_, w, data.first());
        if (std::string why = data.wrong(c.call); !why.empty()) {
          results_.failures.push_back({s.name, device_.name(), form_of(w), n, why, s.peer});
          continue;
        }
        c.seconds = device_.seconds([&] { c.call(data.first()); });
      } catch (const upsweep::error& e) {
        results_.failures.push_back({s.name, device_.name(), form_of(w), n, e.what(), s.peer});
        continue;
      }
      all.push_back(std::move(c));
    }
    if (plan_.cold)
      time_all(all, &measurement::cold, [&](one_side& c) {
        const own_operands& o = data.next();
        evict_(data.all(o));
        return device_.seconds([&] { c.call(o); });
      });
    if (plan_.hot)
      time_all(all, &measurement::hot, [&](one_side& c) {
        const own_operands& o = data.first();
        const int calls = calls_for(c.seconds, device_.kind());
        settle(device_.kind());
        c.call(o);
        return device_.seconds([&] {
          for (int i = 0; i < calls; ++i) c.call(o);
        }) / calls;
      });
    std::vector<measurement> rows;
    for (one_side& c : all) rows.push_back(std::move(c.row));
    if (rows.empty()) return;
    if (listener_.rows) listener_.rows(rows);
    results_.rows.insert(results_.rows.end(), rows.begin(), rows.end());
  }

  void time_all(std::vector<one_side>& all, statistics measurement::* into,
                const std::function<double(one_side&)>& sample) {
    std::vector<timed> sides;
    for (one_side& c : all) sides.push_back({[&] { return sample(c); }, {}});
    sample_in_turn(sides, plan_.each);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].row.*into = summarize(sides[i].seconds);
  }

  const context& context_;
  device& device_;
  const std::vector<peers::ceiling>& ceilings_;
  const plan& plan_;
  const listener& listener_;
  results& results_;
  evictor evict_;
};

}  // namespace

bool has_own_work(const device& d, const plan& wanted) {
  return std::ranges::any_of(peers::all_own_work, [&](own_work w) { return asked_for(w, d, wanted); });
}

void measure_own(const context& c, const std::vector<peers::ceiling>& ceilings, const plan& wanted,
                 const listener& hears, results& to) {
  if (!has_own_work(c.device(), wanted)) return;
  own_session session(c, ceilings, wanted, hears, to);
  for (const own_work w : peers::all_own_work)
    for (const bool shifted : {false, true})
      if (asked_for(w, c.device(), wanted) && (shifted ? wanted.shifted : wanted.aligned)) session.run(w, shifted);
}

}  // namespace bench
