// Calls of the library that enqueue, and calls that wait, for the tests of captures into CUDA graphs.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "upsweep/upsweep.hpp"

namespace upsweep::tests {

// nvcc and the host compiler each have calls of their own.
inline namespace UPSWEEP_COMPILED {

// The operands of the calls, in memory of their own context. Each call writes part of this memory.
class capture_material {
 public:
  static constexpr std::uint64_t n = 20011, width = 131, height = 67, pixels = width * height;
  using u32s = buffer<std::uint32_t>;
  using u64s = buffer<std::uint64_t>;

  context home;
  // Inputs, of which the first three change with the seed.
  u32s in{home, n}, more{home, n};
  buffer<float> floats{home, n};
  u32s keys{home, n}, ascending{home, n};
  u64s offsets{home, 6}, places{home, n}, small{home, n}, lengths_in{home, 100};
  buffer<std::uint8_t> flags{home, n};
  buffer<float> mass{home, n}, edges{home, 5};
  buffer<std::uint64_t> held{home, 1};
  // Outputs.
  u32s y{home, n}, z{home, n}, few{home, 64};
  u64s wide{home, n}, wide2{home, n}, counts{home, 64};
  buffer<float> f{home, n}, g{home, n}, h{home, n};
  buffer<double> sums{home, 64};
  buffer<std::uint8_t> bytes{home, n};

  explicit capture_material(context where = context::cuda()) : home(std::move(where)) {
    std::vector<std::uint32_t> k(n), up(n);
    std::vector<std::uint64_t> p(n), s(n);
    std::vector<float> m(n);
    std::vector<std::uint8_t> b(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      k[i] = static_cast<std::uint32_t>(i / 7), up[i] = static_cast<std::uint32_t>(3 * i);
      p[i] = (i * 7919 + 5) % n, s[i] = i * 31 % 61;
      m[i] = 1 + static_cast<float>(i % 5), b[i] = i % 3 != 0;
    }
    keys.upload(k), ascending.upload(up), places.upload(p), small.upload(s), mass.upload(m), flags.upload(b);
    offsets.upload(std::vector<std::uint64_t>{0, 5, 5, 7000, 15000, n});
    lengths_in.upload(std::vector<std::uint64_t>(100, 9));
    edges.upload(std::vector<float>{0, 0.25f, 0.5f, 0.75f, 1});
    held.upload(std::vector<std::uint64_t>{n / 2 + 3});
    set(0);
  }

  void set(std::uint32_t seed) {
    std::vector<std::uint32_t> x(n), w(n);
    std::vector<float> v(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      x[i] = static_cast<std::uint32_t>((i + 1 + 77 * seed) * 2654435761u) >> 9;
      w[i] = static_cast<std::uint32_t>((i + 3 + 55 * seed) * 2246822519u) >> 12;
      v[i] = static_cast<float>(static_cast<std::uint32_t>((i + 9 * seed) * 3266489917u) >> 8) / (1 << 24);
    }
    in.upload(x), more.upload(w), floats.upload(v);
  }

  void poison() {
    each_output([&](auto& out) { home.device().fill(out.span().where(), 0x5a, out.size() * size_of_element(out)); });
    home.synchronize();
  }
  // All outputs, and the inputs that calls in place change.
  std::vector<std::vector<std::byte>> results() {
    std::vector<std::vector<std::byte>> all;
    const auto add = [&](auto& out) {
      std::vector<std::byte> host(out.size() * size_of_element(out));
      home.device().download(host.data(), out.span().where(), host.size());
      all.push_back(std::move(host));
    };
    each_output(add);
    add(in), add(more);
    return all;
  }

 private:
  template <class T>
  static std::size_t size_of_element(const buffer<T>&) {
    return sizeof(T);
  }
  template <class Body>
  void each_output(Body body) {
    body(y), body(z), body(few), body(wide), body(wide2), body(counts), body(f), body(g), body(h), body(sums),
        body(bytes);
  }
};

struct capture_call {
  std::string name;
  std::function<void(const context&, capture_material&)> call;
};

struct capture_square_plus {
  UPSWEEP_HD std::uint32_t operator()(std::uint32_t x) const { return x * x + 7; }
};
struct capture_backwards {
  UPSWEEP_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a > b; }
};
struct capture_is_odd {
  UPSWEEP_HD bool operator()(std::uint32_t x) const { return x % 2 == 1; }
};
struct capture_both_odd {
  UPSWEEP_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 2 == b % 2; }
};
struct capture_last {  // keeps the last element that is not 0: not commutative
  UPSWEEP_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return b ? b : a; }
  UPSWEEP_HD static std::uint32_t identity() { return 0; }
};
struct capture_cube {
  UPSWEEP_HD std::uint32_t operator()(std::uint64_t i) const { return static_cast<std::uint32_t>(i * i * i); }
};
struct capture_store_index {
  std::uint32_t* to;
  UPSWEEP_HD void operator()(std::uint64_t i) const { to[i] = static_cast<std::uint32_t>(i * i); }
};

// Calls that return nothing: a capture takes each of them, also as the first call of a context.
inline std::vector<capture_call> calls_that_enqueue() {
  using M = capture_material;
  constexpr std::uint64_t n = M::n;
  const image_layout picture{extent{M::width, M::height}};
  const auto pixels = [](auto& b) { return b.span().subspan(0, M::pixels); };
  const auto one = [](auto& b) { return b.span().subspan(0, 1); };
  std::vector<capture_call> all;
  const auto add = [&](const char* name, std::function<void(const context&, M&)> call) {
    all.push_back({name, std::move(call)});
  };
  add("reduce", [=](const context& c, M& m) { reduce(c, m.in.span(), one(m.few)); });
  add("reduce of floats", [=](const context& c, M& m) { reduce(c, m.floats.span(), one(m.f)); });
  add("reduce across devices", [=](const context& c, M& m) {
    reduce(c.with({.deterministic = determinism::across_devices}), m.floats.span(), one(m.f));
  });
  add("inclusive_scan", [](const context& c, M& m) { inclusive_scan(c, m.in.span(), m.y.span()); });
  add("inclusive_scan of floats", [](const context& c, M& m) { inclusive_scan(c, m.floats.span(), m.f.span()); });
  add("exclusive_scan", [](const context& c, M& m) { exclusive_scan(c, m.in.span(), m.y.span(), 5u); });
  add("exclusive_scan in place", [](const context& c, M& m) { exclusive_scan(c, m.in.span(), m.in.span(), 5u); });
  add("sort", [](const context& c, M& m) { sort(c, m.in.span(), m.y.span()); });
  add("sort in place", [](const context& c, M& m) { sort(c, m.in.span()); });
  add("sort of few", [](const context& c, M& m) { sort(c, m.in.span().subspan(0, 900), m.y.span().subspan(0, 900)); });
  add("sort descending", [](const context& c, M& m) { sort(c, m.in.span(), m.y.span(), {.descending = true}); });
  add("sort of floats", [](const context& c, M& m) { sort(c, m.floats.span(), m.f.span()); });
  add("sort by a comparator", [](const context& c, M& m) { sort(c, m.in.span(), m.y.span(), capture_backwards{}); });
  add("sort_by_key",
      [](const context& c, M& m) { sort_by_key(c, m.in.span(), m.keys.span(), m.y.span(), m.z.span()); });
  add("argsort", [](const context& c, M& m) { argsort(c, m.in.span(), m.y.span()); });
  add("segmented_sort", [](const context& c, M& m) { segmented_sort(c, m.in.span(), m.y.span(), m.offsets.span()); });
  add("top_k", [](const context& c, M& m) { top_k(c, m.in.span(), m.few.span()); });
  add("top_k with places", [](const context& c, M& m) { top_k(c, m.in.span(), m.few.span(), m.counts.span()); });
  add("top_k by a comparator",
      [](const context& c, M& m) { top_k(c, m.in.span(), m.few.span(), m.counts.span(), capture_backwards{}); });
  add("merge", [](const context& c, M& m) {
    merge(c, m.ascending.span().subspan(0, n / 2), m.keys.span().subspan(0, n - n / 2), m.y.span());
  });
  add("merge by a comparator", [](const context& c, M& m) {
    merge(c, m.in.span().subspan(0, 1), m.more.span().subspan(0, 1), m.y.span().subspan(0, 2), capture_backwards{});
  });
  add("is_sorted_until", [=](const context& c, M& m) {
    is_sorted_until(c, device_span<const std::uint32_t>(m.in.span()), one(m.counts));
  });
  add("copy_if",
      [=](const context& c, M& m) { copy_if(c, m.in.span(), m.y.span(), one(m.counts), less_than(1u << 22)); });
  add("copy_if by a test",
      [=](const context& c, M& m) { copy_if(c, m.in.span(), m.y.span(), one(m.counts), capture_is_odd{}); });
  add("remove_copy_if",
      [=](const context& c, M& m) { remove_copy_if(c, m.in.span(), m.y.span(), one(m.counts), capture_is_odd{}); });
  add("select_flagged",
      [=](const context& c, M& m) { select_flagged(c, m.in.span(), m.flags.span(), m.y.span(), one(m.counts)); });
  add("unique", [=](const context& c, M& m) { unique(c, m.keys.span(), m.y.span(), one(m.counts)); });
  add("unique_by_key", [=](const context& c, M& m) {
    unique_by_key(c, m.keys.span(), m.in.span(), m.y.span(), m.z.span(), one(m.counts));
  });
  add("partition",
      [=](const context& c, M& m) { partition(c, m.in.span(), m.y.span(), one(m.counts), less_than(1u << 22)); });
  add("three_way_partition", [=](const context& c, M& m) {
    three_way_partition(c, m.in.span(), m.y.span(), m.counts.span().subspan(0, 2), less_than(1u << 20),
                        less_than(1u << 22));
  });
  add("run_length_encode",
      [=](const context& c, M& m) { run_length_encode(c, m.keys.span(), m.y.span(), m.wide.span(), one(m.counts)); });
  add("run_length_decode", [](const context& c, M& m) {
    run_length_decode(c, m.in.span().subspan(0, 100), m.lengths_in.span(), m.y.span().subspan(0, 900));
  });
  add("gather", [](const context& c, M& m) { gather(c, m.in.span(), m.places.span(), m.y.span()); });
  add("scatter", [](const context& c, M& m) { scatter(c, m.in.span(), m.places.span(), m.y.span()); });
  add("scatter_if",
      [](const context& c, M& m) { scatter_if(c, m.in.span(), m.places.span(), m.flags.span(), m.y.span()); });
  add("permute", [](const context& c, M& m) { permute(c, m.places.span(), m.in.span(), m.y.span()); });
  add("permute in place", [](const context& c, M& m) { permute(c, m.places.span(), m.in.span(), m.in.span()); });
  add("reduce_by_key", [=](const context& c, M& m) {
    reduce_by_key(c, m.keys.span(), m.in.span(), m.y.span(), m.z.span(), one(m.counts));
  });
  add("inclusive_scan_by_key",
      [](const context& c, M& m) { inclusive_scan_by_key(c, m.keys.span(), m.in.span(), m.y.span()); });
  add("exclusive_scan_by_key",
      [](const context& c, M& m) { exclusive_scan_by_key(c, m.keys.span(), m.in.span(), m.y.span()); });
  add("segmented_reduce",
      [](const context& c, M& m) { segmented_reduce(c, m.in.span(), m.offsets.span(), m.few.span().subspan(0, 5)); });
  add("segmented_inclusive_scan",
      [](const context& c, M& m) { segmented_inclusive_scan(c, m.in.span(), m.offsets.span(), m.y.span()); });
  add("segmented_exclusive_scan",
      [](const context& c, M& m) { segmented_exclusive_scan(c, m.in.span(), m.offsets.span(), m.y.span()); });
  add("histogram", [](const context& c, M& m) { histogram(c, m.in.span(), m.counts.span(), 0u, 1u << 23); });
  add("histogram of edges",
      [](const context& c, M& m) { histogram(c, m.floats.span(), m.edges.span(), m.counts.span().subspan(0, 4)); });
  add("histogram of many bins", [](const context& c, M& m) { histogram(c, m.in.span(), m.wide.span(), 0u, 1u << 23); });
  add("weighted_histogram",
      [](const context& c, M& m) { weighted_histogram(c, m.in.span(), m.mass.span(), m.sums.span(), 0u, 1u << 23); });
  add("reduce_by_index", [](const context& c, M& m) { reduce_by_index(c, m.small.span(), m.in.span(), m.few.span()); });
  add("top_k_by_key", [](const context& c, M& m) {
    top_k_by_key(c, m.in.span(), m.keys.span(), m.few.span(), m.y.span().subspan(0, 64));
  });
  add("rank", [](const context& c, M& m) { rank(c, m.in.span(), m.wide.span()); });
  add("summed_area_table",
      [=](const context& c, M& m) { summed_area_table(c, pixels(m.floats), pixels(m.f), picture); });
  add("box_mean", [=](const context& c, M& m) { box_mean(c, pixels(m.floats), pixels(m.f), picture, {3, 2}); });
  add("convolve", [=](const context& c, M& m) {
    convolve(c, pixels(m.floats), picture, mask<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10}), pixels(m.f),
             border::mirror);
  });
  add("convolve of rows and columns", [=](const context& c, M& m) {
    convolve(c, pixels(m.floats), picture, mask<float>({3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1}), pixels(m.f),
             border::clamp);
  });
  add("convolve by transforms", [=](const context& c, M& m) {
    std::vector<float> values(61 * 61);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 101) / 101;
    convolve(c, pixels(m.floats), picture, mask<float>({61, 61}, values), pixels(m.f), border::zero);
  });
  add("two convolutions by other masks", [=](const context& c, M& m) {
    convolve(c, pixels(m.floats), picture, mask<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10}), pixels(m.f),
             border::wrap);
    convolve(c, pixels(m.floats), picture, mask<float>({3, 3}, {9, 2, 3, 4, 5, 6, 7, 8, 1}), pixels(m.g), border::wrap);
  });
  add("median", [=](const context& c, M& m) { median(c, pixels(m.floats), picture, 2, pixels(m.f)); });
  add("bilateral", [=](const context& c, M& m) { bilateral(c, pixels(m.floats), picture, 2.0f, 0.2f, pixels(m.f)); });
  add("recursive_gaussian",
      [=](const context& c, M& m) { recursive_gaussian(c, pixels(m.floats), picture, 3.0f, pixels(m.f)); });
  add("hysteresis_threshold", [=](const context& c, M& m) {
    hysteresis_threshold(c, pixels(m.floats), picture.size, 0.4f, 0.9f, pixels(m.f));
  });
  add("two sizes of resize", [=](const context& c, M& m) {
    resize(c, pixels(m.floats), picture, m.f.span().subspan(0, 50 * 40), {50, 40}, resampling::lanczos);
    resize(c, pixels(m.floats), picture, m.g.span().subspan(0, 90 * 30), {90, 30}, resampling::lanczos);
  });
  add("reduce_along", [=](const context& c, M& m) {
    reduce_along(c, pixels(m.floats), rows_of(M::width), m.f.span().subspan(0, M::height));
  });
  add("inclusive_scan_along",
      [=](const context& c, M& m) { inclusive_scan_along(c, pixels(m.floats), rows_of(M::width), pixels(m.f)); });
  add("sort_along", [=](const context& c, M& m) { sort_along(c, pixels(m.in), rows_of(M::width), pixels(m.y)); });
  add("argsort_along", [=](const context& c, M& m) { argsort_along(c, pixels(m.in), rows_of(M::width), pixels(m.y)); });
  add("top_k_along", [=](const context& c, M& m) {
    top_k_along(c, pixels(m.in), rows_of(M::width), 5, m.y.span().subspan(0, 5 * M::height));
  });
  add("transform", [](const context& c, M& m) { transform(c, m.in.span(), m.y.span(), square{}); });
  add("transform by a function",
      [](const context& c, M& m) { transform(c, m.in.span(), m.y.span(), capture_square_plus{}); });
  add("transform of two", [](const context& c, M& m) { transform(c, m.in.span(), m.more.span(), m.y.span(), plus{}); });
  add("replace_if", [](const context& c, M& m) { replace_if(c, m.in.span(), capture_is_odd{}, 5u); });
  add("adjacent_difference", [](const context& c, M& m) { adjacent_difference(c, m.in.span(), m.y.span()); });
  add("fill", [](const context& c, M& m) { fill(c, m.y.span(), 7u); });
  add("iota", [](const context& c, M& m) { iota(c, m.y.span(), 3u); });
  add("copy", [](const context& c, M& m) { copy(c, m.in.span(), m.y.span()); });
  add("for_each_index", [](const context& c, M& m) { for_each_index(c, n, capture_store_index{m.y.span().data()}); });
  add("reverse", [](const context& c, M& m) { reverse(c, m.in.span()); });
  add("reverse_copy", [](const context& c, M& m) { reverse_copy(c, m.in.span(), m.y.span()); });
  add("rotate_copy", [](const context& c, M& m) { rotate_copy(c, m.in.span(), 17, m.y.span()); });
  add("rotate", [](const context& c, M& m) { rotate(c, m.in.span(), 17); });
  add("shuffle", [](const context& c, M& m) { shuffle(c, m.in.span(), 3); });
  add("random_permutation", [](const context& c, M& m) { random_permutation(c, m.y.span(), 3); });
  add("swap_ranges", [](const context& c, M& m) { swap_ranges(c, m.in.span(), m.more.span()); });
  add("vector_add", [](const context& c, M& m) { vector_add(c, m.in.span(), m.keys.span(), m.y.span()); });
  add("count_if", [=](const context& c, M& m) { count_if(c, m.in.span(), one(m.counts), capture_is_odd{}); });
  add("find_if", [=](const context& c, M& m) { find_if(c, m.in.span(), one(m.counts), less_than(100u)); });
  add("argmax", [=](const context& c, M& m) { argmax(c, m.in.span(), one(m.counts)); });
  add("mismatch", [=](const context& c, M& m) { mismatch(c, m.in.span(), m.more.span(), one(m.counts)); });
  add("lower_bound", [](const context& c, M& m) { lower_bound(c, m.ascending.span(), m.in.span(), m.wide.span()); });
  add("binary_search",
      [](const context& c, M& m) { binary_search(c, m.ascending.span(), m.in.span(), m.bytes.span()); });
  add("set_union", [=](const context& c, M& m) {
    set_union(c, m.ascending.span().subspan(0, 9000), m.keys.span().subspan(0, 9000), m.y.span(), one(m.counts));
  });
  add("merge_by_key", [](const context& c, M& m) {
    merge_by_key(c, m.ascending.span().subspan(0, 9000), m.in.span().subspan(0, 9000), m.keys.span().subspan(0, 9000),
                 m.more.span().subspan(0, 9000), m.y.span().subspan(0, 18000), m.z.span().subspan(0, 18000));
  });
  add("counted sort and reduce", [=](const context& c, M& m) {
    const auto some = device_counted(m.in.span(), m.held.span());
    sort(c, some, m.y.span());
    reduce(c, device_counted(m.y.span(), m.held.span()), one(m.few));
  });
  add("counted histogram", [=](const context& c, M& m) {
    histogram(c, device_counted(m.in.span(), m.held.span()), m.counts.span(), 0u, 1u << 23);
  });
  add("segmented_sort_by_key", [](const context& c, M& m) {
    segmented_sort_by_key(c, m.in.span(), m.keys.span(), m.y.span(), m.z.span(), m.offsets.span());
  });
  add("transform_reduce",
      [=](const context& c, M& m) { transform_reduce(c, m.in.span(), one(m.few), 3u, plus{}, capture_square_plus{}); });
  add("inclusive_scan by an operator of its own",
      [](const context& c, M& m) { inclusive_scan(c, m.in.span(), m.y.span(), capture_last{}); });
  add("reduce_by_key by an operator of its own", [=](const context& c, M& m) {
    reduce_by_key(c, m.keys.span(), m.in.span(), m.y.span(), m.z.span(), one(m.counts), capture_last{});
  });
  add("set_intersection", [=](const context& c, M& m) {
    set_intersection(c, m.ascending.span().subspan(0, 9000), m.keys.span().subspan(0, 9000), m.y.span(), one(m.counts));
  });
  add("set_difference", [=](const context& c, M& m) {
    set_difference(c, m.ascending.span().subspan(0, 9000), m.keys.span().subspan(0, 9000), m.y.span(), one(m.counts));
  });
  add("set_symmetric_difference", [=](const context& c, M& m) {
    set_symmetric_difference(c, m.ascending.span().subspan(0, 9000), m.keys.span().subspan(0, 9000), m.y.span(),
                             one(m.counts));
  });
  add("flatten", [](const context& c, M& m) {
    flatten(c, m.in.span(), m.small.span().subspan(0, 100), m.lengths_in.span(), m.y.span().subspan(0, 900));
  });
  add("gather_if",
      [](const context& c, M& m) { gather_if(c, m.in.span(), m.places.span(), m.flags.span(), m.y.span()); });
  add("partition_copy", [=](const context& c, M& m) {
    partition_copy(c, m.in.span(), m.y.span(), m.z.span(), one(m.counts), capture_is_odd{});
  });
  add("unique by an equality",
      [=](const context& c, M& m) { unique(c, m.in.span(), m.y.span(), one(m.counts), capture_both_odd{}); });
  add("group_by",
      [=](const context& c, M& m) { group_by(c, m.keys.span().subspan(0, n - 1), m.wide.span(), one(m.counts)); });
  add("box_variance", [=](const context& c, M& m) { box_variance(c, pixels(m.floats), pixels(m.f), picture, {3, 2}); });
  add("correlate", [=](const context& c, M& m) {
    correlate(c, pixels(m.floats), picture, mask<float>({5, 1}, {1, 2, 3, 4, 5}), pixels(m.f), border::reflect);
  });
  add("non_maximum_suppression", [=](const context& c, M& m) {
    non_maximum_suppression(c, pixels(m.floats), pixels(m.floats), picture.size, pixels(m.f));
  });
  add("tabulate", [](const context& c, M& m) { tabulate(c, m.y.span(), capture_cube{}); });
  add("transform_if", [](const context& c, M& m) {
    transform_if(c, m.in.span(), m.y.span(), capture_square_plus{}, capture_is_odd{});
  });
  add("replace_copy_if",
      [](const context& c, M& m) { replace_copy_if(c, m.in.span(), m.y.span(), capture_is_odd{}, 5u); });
  add("equal_range",
      [](const context& c, M& m) { equal_range(c, m.ascending.span(), m.in.span(), m.wide.span(), m.wide2.span()); });
  add("find_if_not", [=](const context& c, M& m) { find_if_not(c, m.in.span(), one(m.counts), capture_is_odd{}); });
  add("argsort_along down columns", [=](const context& c, M& m) {
    argsort_along(c, pixels(m.in), {std::vector<std::uint64_t>{M::height, M::width}, 0}, pixels(m.y));
  });
  add("histogram_2d", [=](const context& c, M& m) {
    histogram_2d(c, m.floats.span(), m.floats.span(), m.counts.span(), even_bins(0.0f, 1.0f, 8),
                 even_bins(0.0f, 1.0f, 8));
  });
  add("counted scan",
      [](const context& c, M& m) { inclusive_scan(c, device_counted(m.in.span(), m.held.span()), m.y.span()); });
  add("counted reduce_by_key", [=](const context& c, M& m) {
    reduce_by_key(c, device_counted(m.keys.span(), m.held.span()), m.in.span(), m.y.span(), m.z.span(), one(m.counts));
  });
  add("counted copy_if", [=](const context& c, M& m) {
    copy_if(c, device_counted(m.in.span(), m.held.span()), m.y.span(), one(m.counts), less_than(1u << 22));
  });
  add("counted unique", [=](const context& c, M& m) {
    unique(c, device_counted(m.keys.span(), m.held.span()), m.y.span(), one(m.counts));
  });
  add("accelerations", [=](const context& c, M& m) {
    const auto some = [](auto& b) { return b.span().subspan(0, 700); };
    nbody::accelerations(c, {.softening = 0.1, .method = nbody::method::all_pairs}, some(m.floats),
                         m.floats.span().subspan(700, 700), m.floats.span().subspan(1400, 700), some(m.mass), some(m.f),
                         some(m.g), some(m.h));
  });
  return all;
}

// Calls that block. A capture rejects them and continues.
inline std::vector<capture_call> calls_that_wait() {
  using M = capture_material;
  std::vector<capture_call> all;
  const auto add = [&](const char* name, std::function<void(const context&, M&)> call) {
    all.push_back({name, std::move(call)});
  };
  add("reduce to the host", [](const context& c, M& m) { (void)reduce(c, m.in.span()); });
  add("copy_if with its count",
      [](const context& c, M& m) { (void)copy_if(c, m.in.span(), m.y.span(), less_than(9u)); });
  add("copy_if in place", [](const context& c, M& m) { (void)copy_if(c, m.in.span(), capture_is_odd{}); });
  add("unique with its count", [](const context& c, M& m) { (void)unique(c, m.keys.span(), m.y.span()); });
  add("reduce_by_key with its count",
      [](const context& c, M& m) { (void)reduce_by_key(c, m.keys.span(), m.in.span(), m.y.span(), m.z.span()); });
  add("count_if with its count", [](const context& c, M& m) { (void)count_if(c, m.in.span(), capture_is_odd{}); });
  add("find_if with its place", [](const context& c, M& m) { (void)find_if(c, m.in.span(), less_than(100u)); });
  add("argmax with its place", [](const context& c, M& m) { (void)argmax(c, m.in.span()); });
  add("minmax", [](const context& c, M& m) { (void)minmax(c, m.in.span()); });
  add("equal", [](const context& c, M& m) { (void)equal(c, m.in.span(), m.more.span()); });
  add("is_sorted", [](const context& c, M& m) { (void)is_sorted(c, m.in.span()); });
  add("is_sorted by a comparator",
      [](const context& c, M& m) { (void)is_sorted(c, m.in.span(), capture_backwards{}); });
  add("nth_element", [](const context& c, M& m) { (void)nth_element(c, m.in.span(), 5); });
  add("nth_element by a comparator",
      [](const context& c, M& m) { (void)nth_element(c, m.in.span(), 5, capture_backwards{}); });
  add("set_union with its count", [](const context& c, M& m) {
    (void)set_union(c, m.ascending.span().subspan(0, 9000), m.keys.span().subspan(0, 9000), m.y.span());
  });
  add("mode", [](const context& c, M& m) { (void)mode(c, m.in.span()); });
  add("histogram_by_key",
      [](const context& c, M& m) { (void)histogram_by_key(c, m.in.span(), m.y.span(), m.wide.span()); });
  add("remove_duplicates", [](const context& c, M& m) { (void)remove_duplicates(c, m.in.span(), m.y.span()); });
  add("sort of host memory", [](const context& c, M&) {
    std::vector<std::uint32_t> x{3, 1, 2};
    sort(c, x);
  });
  add("inclusive_scan of host memory", [](const context& c, M&) {
    std::vector<std::uint32_t> x(1000, 1), sums(1000);
    inclusive_scan(c, x, sums);
  });
  add("reduce of host memory", [](const context& c, M&) { (void)reduce(c, std::vector<std::uint32_t>(1000, 1)); });
  add("transform of host memory", [](const context& c, M&) {
    std::vector<std::uint32_t> x(1000, 1), squares(1000);
    transform(c, x, squares, square{});
  });
  add("upload", [](const context& c, M& m) {
    upload(c, std::span<const std::uint32_t>(std::vector<std::uint32_t>(64, 1)), m.few.span());
  });
  add("download", [](const context& c, M& m) {
    std::vector<std::uint32_t> x(64);
    download(c, m.few.span(), std::span(x));
  });
  add("buffer from the host", [](const context& c, M&) { const buffer<int> b(c, std::vector<int>{1, 2}); });
  add("synchronize", [](const context& c, M&) { c.synchronize(); });
  add("an event of the capture on the host", [](const context& c, M&) {
    event e;
    e.record(c);
    e.synchronize();
  });
  add("a tree of bodies", [](const context& c, M& m) {
    const auto some = [](auto& b) { return b.span().subspan(0, 700); };
    nbody::accelerations(c, {.softening = 0.1, .method = nbody::method::barnes_hut}, some(m.floats),
                         m.floats.span().subspan(700, 700), m.floats.span().subspan(1400, 700), some(m.mass), some(m.f),
                         some(m.g), some(m.h));
  });
  return all;
}

}  // namespace UPSWEEP_COMPILED

}  // namespace upsweep::tests
