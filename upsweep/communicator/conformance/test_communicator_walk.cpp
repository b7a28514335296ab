// The walk through all calls of a communicator.
#include "upsweep/communicator.hpp"
#include "upsweep/communicator/conformance/communicator_cases.hpp"

namespace upsweep::communicator_conformance {

namespace {

struct shape {
  const char* name;
  std::vector<std::uint64_t> sizes;
};

// Parts of n elements in all.
std::vector<shape> shapes(std::uint64_t n, int ranks) {
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<shape> all{{"even", {}},
                         {"all with the last", {}},
                         {"all with the first", {}},
                         {"one element each, the rest in the middle", {}},
                         {"growing, every third empty", {}}};
  const auto even = core::even_offsets(n, ranks);
  for (std::size_t r = 0; r < p; ++r) {
    all[0].sizes.push_back(even[r + 1] - even[r]);
    all[1].sizes.push_back(r + 1 == p ? n : 0);
    all[2].sizes.push_back(r == 0 ? n : 0);
    const std::uint64_t ones = std::min<std::uint64_t>(n, p - 1), before = r - (r > p / 2);
    all[3].sizes.push_back(r == p / 2 ? n - ones : before < ones);
  }
  std::uint64_t weights = 0, left = n;
  for (std::size_t r = 0; r < p; ++r) weights += r % 3 == 1 ? 0 : r + 1;
  for (std::size_t r = 0; r < p; ++r)
    all[4].sizes.push_back(r % 3 == 1 ? 0 : n * (r + 1) / weights), left -= all[4].sizes.back();
  all[4].sizes[0] += left;
  return all;
}

// x -> a·x + b, modulo 2^32; composed in order, which matters.
struct affine {
  std::uint32_t a = 1, b = 0;
};
struct then {
  affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
struct then_with_identity : then {
  affine identity() const { return {}; }
};

struct name_and_number {
  std::uint32_t number;
  std::uint16_t name;
  std::uint16_t rest;
};
struct by_name {
  bool operator()(const name_and_number& a, const name_and_number& b) const { return a.name < b.name; }
};
struct wide_value {
  std::uint64_t first, second, third;
};

// A whole array in these parts.
template <class T>
distributed<T> cut(const communicator& g, const std::vector<T>& whole, const std::vector<std::uint64_t>& sizes) {
  std::vector<std::span<const T>> mine;
  const auto offsets = core::offsets_of_parts(sizes);
  for (int i = 0; i < g.local_size(); ++i) {
    const auto r = static_cast<std::size_t>(g.first() + i);
    mine.push_back(std::span<const T>(whole).subspan(offsets[r], sizes[r]));
  }
  return distributed<T>::from_blocks(g, mine);
}

template <class T>
void fold_cases(comparison& j, const communicator& g, const context& one, const std::vector<T>& x, const shape& s) {
  const auto d = cut(g, x, s.sizes);
  auto out = distributed<T>::of_sizes(g, s.sizes);
  std::vector<T> want(x.size());
  j.equal("reduce", reduce(g, d), reduce(one, x));
  j.equal("reduce with an init", reduce(g, d, T{5}, maximum{}), reduce(one, x, T{5}, maximum{}));
  inclusive_scan(g, d, out), inclusive_scan(one, x, want);
  j.same("inclusive_scan", out.gather(), want);
  exclusive_scan(g, d, out, T{3}), exclusive_scan(one, x, want, T{3});
  j.same("exclusive_scan", out.gather(), want);
  auto in_place = cut(g, x, s.sizes);
  inclusive_scan(g, in_place, in_place), inclusive_scan(one, x, want);
  j.same("inclusive_scan in place", in_place.gather(), want);
  transform_inclusive_scan(g, d, out, plus{}, square{}), transform_inclusive_scan(one, x, want, plus{}, square{});
  j.same("transform_inclusive_scan", out.gather(), want);
}

// Operators of the caller's own, which do not commute: on CPUs.
void own_fold_cases(comparison& j, const communicator& g, const context& one, std::uint64_t n, const shape& s) {
  std::vector<affine> x(n), want(n);
  for (std::uint64_t i = 0; i < n; ++i)
    x[i] = {static_cast<std::uint32_t>(mixed(i)) | 1, static_cast<std::uint32_t>(mixed(i + n))};
  const auto d = cut(g, x, s.sizes);
  auto out = distributed<affine>::of_sizes(g, s.sizes);
  j.equal("reduce, not commutative", reduce(g, d, then_with_identity{}), reduce(one, x, then_with_identity{}));
  j.equal("reduce, no identity", reduce(g, d, affine{3, 4}, then{}), reduce(one, x, affine{3, 4}, then{}));
  inclusive_scan(g, d, out, then{}), inclusive_scan(one, x, want, then{});
  j.same("inclusive_scan, no identity", out.gather(), want);
  inclusive_scan(g, d, out, affine{5, 6}, then{}), inclusive_scan(one, x, want, affine{5, 6}, then{});
  j.same("inclusive_scan after an init", out.gather(), want);
  exclusive_scan(g, d, out, affine{5, 6}, then{}), exclusive_scan(one, x, want, affine{5, 6}, then{});
  j.same("exclusive_scan, not commutative", out.gather(), want);
  exclusive_scan(g, d, out, then_with_identity{}), exclusive_scan(one, x, want, then_with_identity{});
  j.same("exclusive_scan from the identity", out.gather(), want);
}

void float_cases(comparison& j, const communicator& g, const context& one, std::uint64_t n, const shape& s) {
  auto x = made<float>(keys::random, n, 11);
  for (std::uint64_t i = 0; i < n; i += 17) x[i] *= 0x1p60f;
  j.equal("reproducible_sum", reproducible_sum(g, cut(g, x, s.sizes)), reproducible_sum(one, x));
  const std::vector<double> y(x.begin(), x.end());
  j.equal("reproducible_sum of doubles", reproducible_sum(g, cut(g, y, s.sizes)), reproducible_sum(one, y));
}

template <class K>
void sort_cases(comparison& j, const communicator& g, const context& one, const std::vector<K>& x, const shape& s,
                const shape& to) {
  const std::uint64_t n = x.size();
  std::vector<std::uint32_t> places(n);
  for (std::uint64_t i = 0; i < n; ++i) places[i] = static_cast<std::uint32_t>(i);
  for (const bool descending : {false, true}) {
    const sort_options o{.descending = descending};
    auto want = x;
    auto want_places = places;
    sort_by_key(one, want, want_places, o);
    auto d = cut(g, x, s.sizes);
    sort(g, d, o);
    j.same("sort", d.gather(), want);
    d = cut(g, x, s.sizes);
    auto v = cut(g, places, s.sizes);
    auto out = distributed<K>::of_sizes(g, to.sizes);
    auto v_out = distributed<std::uint32_t>::of_sizes(g, to.sizes);
    sort_by_key(g, d, v, out, v_out, o);
    j.same("sort_by_key's keys", out.gather(), want);
    j.same("sort_by_key's values", v_out.gather(), want_places);
    auto order = distributed<std::uint64_t>::of_sizes(g, to.sizes);
    argsort(g, d, order, o);
    std::vector<std::uint64_t> want_order(want_places.begin(), want_places.end());
    j.same("argsort", order.gather(), want_order);
    const std::uint64_t k = std::min<std::uint64_t>(n, 37);
    std::vector<K> best(k);
    std::vector<std::uint64_t> best_places(k);
    top_k(g, d, best, best_places, o);
    j.same("top_k", best, std::vector<K>(want.begin(), want.begin() + static_cast<std::ptrdiff_t>(k)));
    j.same("top_k's places", best_places,
           std::vector<std::uint64_t>(want_order.begin(), want_order.begin() + static_cast<std::ptrdiff_t>(k)));
    if (n) j.equal("nth_element", nth_element(g, d, n * 2 / 3, o), want[n * 2 / 3]);
  }
}

void own_sort_cases(comparison& j, const communicator& g, const context& one, std::uint64_t n, const shape& s,
                    const shape& to) {
  std::vector<name_and_number> x(n);
  std::vector<wide_value> v(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    x[i] = {static_cast<std::uint32_t>(i), static_cast<std::uint16_t>(mixed(i) % 50), 0};
    v[i] = {i, mixed(i), i * i};
  }
  auto d = cut(g, x, s.sizes);
  auto values = cut(g, v, s.sizes);
  auto out = distributed<name_and_number>::of_sizes(g, to.sizes);
  auto values_out = distributed<wide_value>::of_sizes(g, to.sizes);
  sort(g, d, out, by_name{});
  auto want = x;
  auto want_values = v;
  sort_by_key(one, want, want_values, by_name{});
  j.same("sort by a comparator", out.gather(), want);
  sort_by_key(g, d, values, out, values_out, by_name{});
  j.same("sort_by_key by a comparator", out.gather(), want);
  j.same("sort_by_key's wide values", values_out.gather(), want_values);
  if (n) j.equal("nth_element by a comparator", nth_element(g, d, n / 2, by_name{}).name, want[n / 2].name);
  std::vector<std::uint32_t> numbers(n);
  for (std::uint64_t i = 0; i < n; ++i) numbers[i] = static_cast<std::uint32_t>(mixed(i));
  auto some_bits = cut(g, numbers, s.sizes);
  sort(g, some_bits, {.first_bit = 4, .last_bit = 9});
  sort(one, numbers, {.first_bit = 4, .last_bit = 9});
  j.same("sort by some bits", some_bits.gather(), numbers);
}

template <class T>
void kept_cases(comparison& j, const communicator& g, const context& one, const std::vector<T>& x, const shape& s,
                const shape& to) {
  const std::uint64_t n = x.size();
  const auto d = cut(g, x, s.sizes);
  auto out = distributed<T>::even(g, 0);
  std::vector<T> want(n);
  const auto kept = [&](std::uint64_t count) { return std::span<const T>(want).first(count); };
  const auto test = less_than(n ? x[n / 2] : T{});
  std::uint64_t count = copy_if(one, x, want, test);
  j.equal("copy_if's count", copy_if(g, d, out, test), count);
  j.same("copy_if", out.gather(), kept(count));
  count = unique(one, x, want);
  j.equal("unique's count", unique(g, d, out), count);
  j.same("unique", out.gather(), kept(count));
  auto parted = distributed<T>::of_sizes(g, to.sizes);
  count = partition(one, x, want, test);
  j.equal("partition's count", partition(g, d, parted, test), count);
  j.same("partition", parted.gather(), want);
  auto in_place = cut(g, x, s.sizes);
  partition(g, in_place, in_place, test);
  j.same("partition in place", in_place.gather(), want);

  auto lengths = distributed<std::uint64_t>::even(g, 0);
  std::vector<std::uint64_t> want_lengths(n);
  count = run_length_encode(one, x, want, want_lengths);
  j.equal("run_length_encode's count", run_length_encode(g, d, out, lengths), count);
  j.same("run_length_encode's firsts", out.gather(), kept(count));
  j.same("run_length_encode's lengths", lengths.gather(), std::span<const std::uint64_t>(want_lengths).first(count));

  std::vector<std::uint64_t> values(n), want_values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = mixed(i);
  const auto v = cut(g, values, s.sizes);
  auto sums = distributed<std::uint64_t>::even(g, 0);
  count = reduce_by_key(one, x, values, want, want_values);
  j.equal("reduce_by_key's count", reduce_by_key(g, d, v, out, sums), count);
  j.same("reduce_by_key's keys", out.gather(), kept(count));
  j.same("reduce_by_key", sums.gather(), std::span<const std::uint64_t>(want_values).first(count));
  auto running = distributed<std::uint64_t>::of_sizes(g, s.sizes);
  inclusive_scan_by_key(g, d, v, running), inclusive_scan_by_key(one, x, values, want_values);
  j.same("inclusive_scan_by_key", running.gather(), want_values);
  exclusive_scan_by_key(g, d, v, running, 9), exclusive_scan_by_key(one, x, values, want_values, 9);
  j.same("exclusive_scan_by_key", running.gather(), want_values);

  for (const std::uint64_t bins : {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{300}}) {
    std::vector<std::uint64_t> counts(bins), want_counts(bins);
    histogram(g, d, counts, 0, 1000), histogram(one, x, want_counts, 0, 1000);
    j.same("histogram", counts, want_counts);
  }
  const std::vector<T> edges{T(0), T(2), T(5), T(1000)};
  std::vector<std::uint64_t> counts(3), want_counts(3);
  histogram(g, d, edges, counts), histogram(one, x, edges, want_counts);
  j.same("histogram between edges", counts, want_counts);
}

template <class T>
void place_cases(comparison& j, const communicator& g, const std::vector<T>& x, const shape& s, const shape& to) {
  const std::uint64_t n = x.size();
  const auto d = cut(g, x, s.sizes);
  auto moved = distributed<T>::of_sizes(g, to.sizes);
  redistribute(g, d, moved);
  j.same("redistribute", moved.gather(), x);
  auto even = cut(g, x, s.sizes);
  redistribute(g, even);
  j.same("redistribute evenly", even.gather(), x);
  if (even.size_of(0) - even.size_of(g.size() - 1) > 1) j.wrong("redistribute evenly", "the parts are not even");

  std::vector<std::uint64_t> places(n);  // a permutation
  for (std::uint64_t i = 0; i < n; ++i) places[i] = i;
  for (std::uint64_t i = n; i > 1; --i) std::swap(places[i - 1], places[mixed(i) % i]);
  const auto asked = cut(g, places, to.sizes);
  auto gathered = distributed<T>::of_sizes(g, to.sizes);
  gather(g, d, asked, gathered);
  std::vector<T> want(n);
  for (std::uint64_t i = 0; i < n; ++i) want[i] = x[places[i]];
  j.same("gather", gathered.gather(), want);
  auto back = distributed<T>::of_sizes(g, s.sizes);
  scatter(g, gathered, asked, back);
  j.same("scatter", back.gather(), x);
  std::vector<T> mine = back.local();
  const auto from = d.first(g.first());
  j.same("local", mine, std::span<const T>(x).subspan(from, mine.size()));
}

// What ends a call on one rank ends it on all, and the communicator goes on.
void failure_cases(comparison& j, const communicator& g) {
  const auto sentence = [&](const char* what, const auto& call) -> std::string {
    try {
      call();
    } catch (const error& e) {
      return e.what();
    }
    j.wrong(what, "nothing was thrown");
    return {};
  };
  const auto holds = [&](const char* what, const std::string& text, const std::string& part) {
    if (text.find(part) == std::string::npos) j.wrong(what, "'" + text + "' does not say '" + part + "'");
  };
  for (const int who : {0, g.size() - 1}) {
    const std::string its_name = "rank " + std::to_string(who) + " of " + std::to_string(g.size());
    for (const int step : {0, 1, 2}) {
      const std::string said = sentence("a rank that throws", [&] {
        g.for_each_rank("three steps", [&](communicator_rank& m) {
          const auto fail_at = [&](int now) {
            if (now == step && m.rank() == who) throw std::runtime_error("it had no luck");
          };
          fail_at(0);
          m.all(std::uint64_t{1});
          fail_at(1);
          std::vector<std::uint64_t> each(static_cast<std::size_t>(m.size()), 8);
          const std::vector<char> from(8 * each.size());
          std::vector<char> to(from.size());
          m.route().all_to_all(from.data(), each, to.data(), each);
          fail_at(2);
        });
      });
      holds("a rank that throws", said, its_name + " failed: it had no luck");
    }
    const std::string said = sentence("a rank without memory", [&] {
      g.for_each_rank("asking for memory", [&](communicator_rank& m) {
        if (m.rank() == who) throw std::bad_alloc();
        m.route().barrier();
      });
    });
    holds("a rank without memory", said, its_name);
  }
  if (g.size() > 1) {
    const std::string said = sentence("steps in another order", [&] {
      g.for_each_rank("two steps", [&](communicator_rank& m) {
        if (m.rank() == 0) return m.route().barrier();
        m.all(std::uint64_t{1});
      });
    });
    holds("steps in another order", said, "ranks are at different steps");
  }
  const auto x = distributed<std::uint32_t>::even(g, 100);
  auto y = distributed<std::uint32_t>::of_sizes(g, shapes(100, g.size())[2].sizes);
  if (g.size() > 1)
    holds("parts that differ", sentence("parts that differ", [&] { inclusive_scan(g, x, y); }), "redistribute");
  auto indices = distributed<std::uint64_t>::of(g, std::vector<std::uint64_t>(100, 100));
  auto out = distributed<std::uint32_t>::even(g, 100);
  holds("an index past the end", sentence("an index past the end", [&] { gather(g, x, indices, out); }),
        "there are 100 elements");
  holds("an unreadable file",
        sentence("an unreadable file", [&] { distributed<std::uint32_t>::of_file(g, "/nowhere/at/all", 0, 100); }),
        "cannot open it");
  j.equal("a call after failures", reduce(g, distributed<std::uint32_t>::of(g, std::vector<std::uint32_t>(9, 2))), 18u);
}

}  // namespace

comparison walk(const communicator& g, std::uint64_t most, bool own, std::size_t step) {
  comparison j("start");
  const context one = context::cpu(1);
  std::uint64_t turn = 0;
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{257}, most}) {
    const auto all = shapes(n, g.size());
    for (std::size_t i = turn % step; i < all.size(); i += step) {
      const shape &s = all[i], &to = all[(i + 1 + turn % 4) % all.size()];
      const keys kind = every_kind[turn++ % std::size(every_kind)];
      j.at(std::to_string(g.size()) + " ranks, " + std::to_string(n) + " elements, " + s.name + ", kind " +
           std::to_string(static_cast<int>(kind)));
      fold_cases(j, g, one, made<std::uint64_t>(kind, n, turn), s);
      float_cases(j, g, one, n, s);
      sort_cases(j, g, one, made<std::uint32_t>(kind, n, turn), s, to);
      if (turn % 2)
        sort_cases(j, g, one, made<float>(kind, n, turn), s, to);
      else
        sort_cases(j, g, one, made<std::int64_t>(kind, n, turn), s, to);
      kept_cases(j, g, one, made<std::uint32_t>(kind, n, turn), s, to);
      place_cases(j, g, made<std::uint16_t>(kind, n, turn), s, to);
      if (own) {
        own_fold_cases(j, g, one, n, s);
        own_sort_cases(j, g, one, n, s, to);
      }
    }
  }
  // Every kind of keys in the largest size, from even parts to even parts.
  const shape even = shapes(most, g.size())[0];
  for (const keys kind : every_kind) {
    if (step > 1 && static_cast<std::size_t>(kind) % step != 0) continue;
    j.at(std::to_string(g.size()) + " ranks, keys of kind " + std::to_string(static_cast<int>(kind)));
    sort_cases(j, g, one, made<std::uint32_t>(kind, most, 5), even, even);
  }
  j.at("failures of " + std::to_string(g.size()) + " ranks");
  failure_cases(j, g);
  return j;
}

}  // namespace upsweep::communicator_conformance
