#include "upsweep/communicator/conformance/communicator_random.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "upsweep/communicator.hpp"

namespace upsweep::communicator_conformance {

namespace {

// Numbers of a case, by its seed and number alone.
class draw {
 public:
  draw(std::uint64_t seed, std::uint64_t number) : state_(mixed(mixed(seed) + number + 1)) {}
  std::uint64_t any() { return mixed(state_ += 0x9e3779b97f4a7c15u); }
  std::uint64_t below(std::uint64_t n) { return any() % n; }
  bool one_of(std::uint64_t n) { return below(n) == 0; }
  // Small ones as often as large ones; 0, too.
  std::uint64_t size(std::uint64_t most) {
    const std::uint64_t bits = below(static_cast<std::uint64_t>(std::bit_width(most)) + 1);
    return std::min(most, bits == 0 ? 0 : (std::uint64_t{1} << (bits - 1)) + below(std::uint64_t{1} << (bits - 1)));
  }

 private:
  std::uint64_t state_;
};

// Even parts; all with one rank; one each, as far as they go; any, many of them empty.
std::vector<std::uint64_t> drawn_sizes(draw& d, std::uint64_t n, int ranks) {
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<std::uint64_t> sizes(p);
  const auto even = core::even_offsets(n, ranks);
  switch (d.below(4)) {
    case 0:
      for (std::size_t r = 0; r < p; ++r) sizes[r] = even[r + 1] - even[r];
      return sizes;
    case 1: sizes[d.below(p)] = n; return sizes;
    case 2: {
      std::uint64_t left = n;
      for (std::size_t r = 0; r < p; ++r) sizes[r] = left > 0, left -= sizes[r];
      sizes[d.below(p)] += left;
      return sizes;
    }
    default: {
      std::vector<std::uint64_t> cuts{0, n};
      for (std::size_t r = 1; r < p; ++r) cuts.push_back(d.one_of(3) ? cuts[d.below(cuts.size())] : d.below(n + 1));
      std::sort(cuts.begin(), cuts.end());
      for (std::size_t r = 0; r < p; ++r) sizes[r] = cuts[r + 1] - cuts[r];
      return sizes;
    }
  }
}

template <class X>
distributed<X> in_parts(const communicator& g, const std::vector<X>& whole, const std::vector<std::uint64_t>& sizes) {
  std::vector<std::span<const X>> mine;
  const auto offsets = core::offsets_of_parts(sizes);
  for (int i = 0; i < g.local_size(); ++i) {
    const auto r = static_cast<std::size_t>(g.first() + i);
    mine.push_back(std::span<const X>(whole).subspan(offsets[r], sizes[r]));
  }
  return distributed<X>::from_blocks(g, mine);
}

// x -> a·x + b modulo 2^32, composed in order: it does not commute.
struct affine_map {
  std::uint32_t a = 1, b = 0;
};
struct composed {
  affine_map operator()(const affine_map& f, const affine_map& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};

// A communicator's elements and a value for each, and the same with one device.
template <class T>
class calls {
 public:
  calls(comparison& j, draw& d, const communicator& g, const context& one, std::uint64_t most, bool own)
      : j_(j), d_(d), g_(g), one_(one), own_(own) {
    const std::uint64_t n = d.size(most);
    kind_ = every_kind[d.below(std::size(every_kind))];
    x_ = made<T>(kind_, n, d.any()), v_ = std::vector<std::uint32_t>(n);
    for (std::uint32_t& v : v_) v = static_cast<std::uint32_t>(d.any() >> 40);
    const auto sizes = drawn_sizes(d, n, g.size());
    across_.emplace(in_parts(g, x_, sizes)), values_.emplace(in_parts(g, v_, sizes));
    setting_ = std::to_string(g.size()) + " ranks, " + std::to_string(n) + " of " + std::string(name_of(dtype_of<T>)) +
               ", kind " + std::to_string(static_cast<int>(kind_));
    for (const std::uint64_t s : sizes) setting_ += " " + std::to_string(s);
  }

  std::uint64_t run() {
    const std::uint64_t count = 2 + d_.below(6);
    for (std::uint64_t i = 0; i < count && j_.found().empty(); ++i) {
      j_.at(setting_);
      call(d_.below(16));
      j_.same("what is there after it", across_->gather(), x_);
      j_.same("the values after it", values_->gather(), v_);
    }
    return count;
  }

 private:
  void call(std::uint64_t which) {
    switch (which) {
      case 0: return said("sort"), sorted(false);
      case 1: return said("sort_by_key"), sorted(true);
      case 2: return said("argsort and gather"), gathered();
      case 3: return said("scatter"), scattered();
      case 4: return said("redistribute"), moved();
      case 5: return said("copy_if"), kept();
      case 6: return said("unique"), uniqued();
      case 7: return said("partition"), parted();
      case 8: return said("scan"), scanned();
      case 9: return said("scan_by_key"), scanned_by_key();
      case 10: return said("run lengths"), runs();
      case 11: return said("reduce"), reduced();
      case 12: return said("histogram"), counted();
      case 13: return said("top_k and nth_element"), best();
      case 14: return said("own operators"), own_calls();
      default: return said("a rank that throws"), thrown();
    }
  }
  void said(const char* name) { j_.at(setting_ += std::string(", ") + name); }
  std::vector<std::uint64_t> other_sizes() { return drawn_sizes(d_, x_.size(), g_.size()); }
  sort_options drawn_order() {
    sort_options o{.descending = d_.one_of(2)};
    if (std::is_unsigned_v<T> && d_.one_of(3)) {
      o.first_bit = static_cast<int>(d_.below(8 * sizeof(T)));
      o.last_bit =
          o.first_bit + 1 + static_cast<int>(d_.below(8 * sizeof(T) - static_cast<std::uint64_t>(o.first_bit)));
    }
    return o;
  }

  void sorted(bool by_key) {
    const sort_options o = drawn_order();
    if (!by_key) {
      if (d_.one_of(2)) {
        sort(g_, *across_, o);
      } else {
        auto out = distributed<T>::of_sizes(g_, across_sizes());
        sort(g_, *across_, out, o), across_ = std::move(out);
      }
      return sort(one_, x_, o);
    }
    if (d_.one_of(2)) {
      sort_by_key(g_, *across_, *values_, o);
    } else {
      const auto to = other_sizes();
      auto out = distributed<T>::of_sizes(g_, to);
      auto values = distributed<std::uint32_t>::of_sizes(g_, to);
      sort_by_key(g_, *across_, *values_, out, values, o);
      across_ = std::move(out), values_ = std::move(values);
    }
    sort_by_key(one_, x_, v_, o);
  }
  // The sizes of across_'s blocks: the values keep the same sizes.
  std::vector<std::uint64_t> across_sizes() const {
    std::vector<std::uint64_t> sizes;
    for (int r = 0; r < g_.size(); ++r) sizes.push_back(across_->size_of(r));
    return sizes;
  }

  void gathered() {
    const sort_options o = drawn_order();
    const auto to = other_sizes();
    auto order = distributed<std::uint64_t>::of_sizes(g_, to);
    argsort(g_, *across_, order, o);
    std::vector<std::uint64_t> want(x_.size());
    argsort(one_, x_, want, o);
    j_.same("argsort", order.gather(), want);
    auto out = distributed<T>::of_sizes(g_, to);
    auto values = distributed<std::uint32_t>::of_sizes(g_, to);
    gather(g_, *across_, order, out), gather(g_, *values_, order, values);
    across_ = std::move(out), values_ = std::move(values);
    const auto x = x_;
    const auto v = v_;
    for (std::uint64_t i = 0; i < x.size(); ++i) x_[i] = x[want[i]], v_[i] = v[want[i]];
  }

  void scattered() {
    std::vector<std::uint64_t> places(x_.size());
    std::iota(places.begin(), places.end(), std::uint64_t{0});
    for (std::uint64_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[d_.below(i)]);
    const auto to = other_sizes();
    const auto indices = in_parts(g_, places, across_sizes());
    auto out = distributed<T>::of_sizes(g_, to);
    auto values = distributed<std::uint32_t>::of_sizes(g_, to);
    scatter(g_, *across_, indices, out), scatter(g_, *values_, indices, values);
    across_ = std::move(out), values_ = std::move(values);
    const auto x = x_;
    const auto v = v_;
    for (std::uint64_t i = 0; i < x.size(); ++i) x_[places[i]] = x[i], v_[places[i]] = v[i];
  }

  void moved() {
    if (d_.one_of(2)) return redistribute(g_, *across_), redistribute(g_, *values_);
    const auto to = other_sizes();
    auto out = distributed<T>::of_sizes(g_, to);
    auto values = distributed<std::uint32_t>::of_sizes(g_, to);
    redistribute(g_, *across_, out), redistribute(g_, *values_, values);
    across_ = std::move(out), values_ = std::move(values);
  }

  // What is kept goes on alone, with values anew.
  void go_on_with(std::uint64_t count) {
    x_.resize(count), v_.assign(count, 0);
    for (std::uint32_t& v : v_) v = static_cast<std::uint32_t>(d_.any() >> 40);
    values_.emplace(in_parts(g_, v_, across_sizes()));
  }
  template <class Call>
  std::uint64_t into_itself_or_another(const Call& call) {
    if (d_.one_of(2)) return call(*across_, *across_);
    auto out = distributed<T>::even(g_, d_.one_of(2) ? 0 : x_.size());
    const std::uint64_t count = call(*across_, out);
    across_ = std::move(out);
    return count;
  }
  auto drawn_test() { return less_than(x_.empty() ? T{} : x_[d_.below(x_.size())]); }

  void kept() {
    const auto test = drawn_test();
    auto want = x_;
    const std::uint64_t count = copy_if(one_, x_, want, test);
    j_.equal("its count", into_itself_or_another([&](const auto& in, auto& out) { return copy_if(g_, in, out, test); }),
             count);
    x_ = want, go_on_with(count);
  }
  void uniqued() {
    auto want = x_;
    const std::uint64_t count = unique(one_, x_, want);
    j_.equal("its count", into_itself_or_another([&](const auto& in, auto& out) { return unique(g_, in, out); }),
             count);
    x_ = want, go_on_with(count);
  }
  void parted() {
    const auto test = drawn_test();
    auto want = x_;
    const std::uint64_t count = partition(one_, x_, want, test);
    if (d_.one_of(2)) {
      j_.equal("its count", partition(g_, *across_, *across_, test), count);
    } else {
      auto out = distributed<T>::of_sizes(g_, other_sizes());
      j_.equal("its count", partition(g_, *across_, out, test), count);
      across_ = std::move(out);
    }
    x_ = want, go_on_with(x_.size());
  }

  // Floats' sums are grouped by parts: their greatest are not, where none of them is NaN.
  template <class Op>
  void scanned_by(const Op& op) {
    const auto from = static_cast<T>(d_.below(5));
    auto want = x_;
    const bool in_place = d_.one_of(2);
    auto out = distributed<T>::of_sizes(g_, across_sizes());
    auto& to = in_place ? *across_ : out;
    if (d_.one_of(2))
      inclusive_scan(g_, *across_, to, op), inclusive_scan(one_, x_, want, op);
    else
      exclusive_scan(g_, *across_, to, from, op), exclusive_scan(one_, x_, want, from, op);
    if (!in_place) across_ = std::move(out);
    x_ = want;
  }
  void scanned() {
    if constexpr (!std::is_floating_point_v<T>)
      if (d_.one_of(2)) return scanned_by(plus{});
    if (exact_greatest()) scanned_by(maximum{});
  }
  bool exact_greatest() const { return !std::is_floating_point_v<T> || kind_ != keys::few; }

  void scanned_by_key() {
    auto out = distributed<std::uint32_t>::of_sizes(g_, across_sizes());
    auto want = v_;
    if (d_.one_of(2))
      inclusive_scan_by_key(g_, *across_, *values_, out), inclusive_scan_by_key(one_, x_, v_, want);
    else
      exclusive_scan_by_key(g_, *across_, *values_, out, 9u), exclusive_scan_by_key(one_, x_, v_, want, 9u);
    values_ = std::move(out), v_ = want;
  }

  void runs() {
    auto firsts = distributed<T>::even(g_, 0);
    std::vector<T> want(x_.size());
    if (d_.one_of(2)) {
      auto lengths = distributed<std::uint64_t>::even(g_, 0);
      std::vector<std::uint64_t> want_lengths(x_.size());
      const std::uint64_t count = run_length_encode(one_, x_, want, want_lengths);
      j_.equal("its count", run_length_encode(g_, *across_, firsts, lengths), count);
      j_.same("its firsts", firsts.gather(), std::span<const T>(want).first(count));
      j_.same("its lengths", lengths.gather(), std::span<const std::uint64_t>(want_lengths).first(count));
      return;
    }
    auto sums = distributed<std::uint32_t>::even(g_, 0);
    std::vector<std::uint32_t> want_sums(x_.size());
    const std::uint64_t count = reduce_by_key(one_, x_, v_, want, want_sums);
    j_.equal("reduce_by_key's count", reduce_by_key(g_, *across_, *values_, firsts, sums), count);
    j_.same("reduce_by_key's keys", firsts.gather(), std::span<const T>(want).first(count));
    j_.same("reduce_by_key", sums.gather(), std::span<const std::uint32_t>(want_sums).first(count));
  }

  void reduced() {
    j_.equal("reduce of values", reduce(g_, *values_), reduce(one_, v_));
    if (exact_greatest()) j_.equal("the greatest", reduce(g_, *across_, maximum{}), reduce(one_, x_, maximum{}));
    if constexpr (std::is_floating_point_v<T>)
      j_.equal("reproducible_sum", reproducible_sum(g_, *across_), reproducible_sum(one_, x_));
  }

  void counted() {
    const std::uint64_t bins = 1 + d_.below(d_.one_of(4) ? 5000 : 40);
    const std::int64_t end = 1 + static_cast<std::int64_t>(d_.below(1u << 25));
    std::vector<std::uint64_t> counts(bins), want(bins);
    histogram(g_, *values_, counts, 0, end), histogram(one_, v_, want, 0, end);
    j_.same("histogram", counts, want);
  }

  void best() {
    const sort_options o{.descending = d_.one_of(2)};
    auto order = x_;
    std::vector<std::uint64_t> want_places(x_.size());
    argsort(one_, x_, want_places, o), sort(one_, order, o);
    const std::uint64_t k = d_.below(std::min<std::uint64_t>(x_.size(), 300) + 1);
    std::vector<T> top(k);
    std::vector<std::uint64_t> places(k);
    top_k(g_, *across_, top, places, o);
    j_.same("top_k", top, std::span<const T>(order).first(k));
    j_.same("top_k's places", places, std::span<const std::uint64_t>(want_places).first(k));
    if (x_.empty()) return;
    const std::uint64_t at = d_.below(x_.size());
    j_.equal("nth_element", nth_element(g_, *across_, at, o), order[at]);
  }

  void own_calls() {
    if (!own_) return;
    std::vector<affine_map> f(x_.size()), want(x_.size());
    for (std::uint64_t i = 0; i < f.size(); ++i)
      f[i] = {static_cast<std::uint32_t>(mixed(v_[i])) | 1, static_cast<std::uint32_t>(mixed(v_[i] + i))};
    auto across = in_parts(g_, f, across_sizes());
    const affine_map from{static_cast<std::uint32_t>(d_.any()), static_cast<std::uint32_t>(d_.any())};
    j_.equal("reduce, not commutative", reduce(g_, across, from, composed{}), reduce(one_, f, from, composed{}));
    if (d_.one_of(2))
      inclusive_scan(g_, across, across, composed{}), inclusive_scan(one_, f, want, composed{});
    else
      exclusive_scan(g_, across, across, from, composed{}), exclusive_scan(one_, f, want, from, composed{});
    j_.same("scan in place, not commutative", across.gather(), want);
    const auto by_low_byte = [](std::uint32_t a, std::uint32_t b) { return (a & 255) < (b & 255); };
    sort(g_, *values_, by_low_byte), std::stable_sort(v_.begin(), v_.end(), by_low_byte);
  }

  void thrown() {
    const int who = static_cast<int>(d_.below(static_cast<std::uint64_t>(g_.size())));
    const std::uint64_t steps = d_.below(3);
    std::string text = "nothing was thrown";
    try {
      g_.for_each_rank("a call that fails", [&](communicator_rank& m) {
        for (std::uint64_t s = 0; s < steps; ++s) m.all(s);
        if (m.rank() == who) throw std::runtime_error("no luck");
        m.route().barrier();
      });
    } catch (const error& e) {
      text = e.what();
    }
    if (text.find("rank " + std::to_string(who) + " of " + std::to_string(g_.size()) + " failed: no luck") ==
        std::string::npos)
      j_.wrong("a rank that throws", text);
  }

  comparison& j_;
  draw& d_;
  const communicator& g_;
  const context& one_;
  const bool own_;
  keys kind_{};
  std::string setting_;
  std::vector<T> x_;
  std::vector<std::uint32_t> v_;
  std::optional<distributed<T>> across_;
  std::optional<distributed<std::uint32_t>> values_;
};

bool all_are_cpus(const communicator& g) {
  std::uint8_t all = 1;
  g.for_each_rank("devices", [&](communicator_rank& m) {
    const auto kinds = m.all(m.where().kind());
    if (m.local_rank() == 0) all = std::ranges::count(kinds, backend::cpu) == m.size();
  });
  return all;
}

}  // namespace

drawn_calls check_calls(std::span<const communicator> groups, const drawing& how) {
  drawn_calls all;
  const context one = context::cpu(1);
  std::vector<char> own;
  for (const communicator& g : groups) own.push_back(all_are_cpus(g));
  const auto start = std::chrono::steady_clock::now();
  // Processes end together: the first one's clock is asked.
  const auto go_on = [&] {
    std::uint8_t in_time =
        how.seconds == 0 || std::chrono::steady_clock::now() - start < std::chrono::duration<double>(how.seconds);
    if (groups[0].local_size() == groups[0].size()) return in_time != 0;
    groups[0].for_each_rank("time", [&](communicator_rank& m) { m.route().broadcast(&in_time, 1, 0); });
    return in_time != 0;
  };
  for (std::uint64_t k = 0; k < how.count && go_on(); ++k) {
    draw d(how.seed, how.first + k);
    const std::size_t which = d.below(groups.size());
    comparison j("start");
    const auto run = [&]<class T>(std::type_identity<T>) {
      try {
        all.calls += calls<T>(j, d, groups[which], one, how.max_n, own[which]).run();
      } catch (const error& e) {
        j.wrong("it ended", e.what());
      }
    };
    switch (d.below(3)) {
      case 0: run(std::type_identity<std::uint32_t>{}); break;
      case 1: run(std::type_identity<float>{}); break;
      default: run(std::type_identity<std::int8_t>{}); break;
    }
    ++all.cases, all.failed += !j.found().empty();
    for (const std::string& wrong : j.found())
      if (all.wrong.size() < 20) all.wrong.push_back("case " + std::to_string(how.first + k) + ": " + wrong);
    if (how.progress) how.progress(all.cases);
  }
  return all;
}

}  // namespace upsweep::communicator_conformance
