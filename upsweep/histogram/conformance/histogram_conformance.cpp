// The conformance tests of histograms and of range counts. Counts are compared exactly, and sums of weights bit by bit
// (histogram_weights.hpp).
#include <algorithm>
#include <cmath>

#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/sequential_folds.hpp"
#include "upsweep/histogram/histogram_bins.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/histogram/histogram_weights.hpp"

namespace upsweep::detail::histogram_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

template <class T>
inline constexpr bool is_float = is_floating(dtype_of<T>);

// ---- histogram

std::vector<problem> histogram_forms(bool sample) {
  std::vector<problem> all;
  for (dtype type : all_dtypes)
    for (bool edges : {false, true})
      for (std::uint32_t channels : {1u, 3u, 4u, 5u})
        for (std::uint32_t weights : {0u, 4u, 8u}) {
          const int t = static_cast<int>(type);
          if (channels == 5 && type != dtype::u8 && type != dtype::f32) continue;
          if (weights == 8 && channels != 1 && channels != 3) continue;
          if (sample && channels != 1 && (t + static_cast<int>(channels) + edges) % 4 != 0) continue;
          problem p;
          p.what = primitive::histogram, p.type = type, p.edges = edges, p.channels = channels, p.weighted = weights;
          p.weight_type = weights == 8 ? dtype::f64 : dtype::f32;
          // Half of the custom bins are closed.
          p.closed = edges && (t + channels + weights / 4) % 2 == 0;
          all.push_back(p);
        }
  return all;
}

// As many bins as edges of the type can be told apart.
std::uint64_t most_edge_bins(dtype type) {
  switch (type) {
    case dtype::i8:
    case dtype::u8: return 254;
    case dtype::f16: return 500;
    case dtype::i16:
    case dtype::u16: return 30000;
    case dtype::f32: return std::uint64_t{1} << 20;
    default: return most_bins;
  }
}

// Even bins over all values of the type; floats: over [-1, 1).
void cover_all(problem& p) {
  with_any_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using bound = bound_of<T>;
    if constexpr (is_float<T>) {
      p.lower = scalar::of(bound(-1)), p.upper = scalar::of(bound(1));
    } else {
      p.lower = scalar::of(static_cast<bound>(std::numeric_limits<T>::min()));
      p.upper = scalar::of(static_cast<bound>(static_cast<bound>(std::numeric_limits<T>::max()) + (sizeof(T) < 8)));
    }
  });
}

// Some part of that, and for narrow integers more than that.
void cover_part(problem& p, std::uint64_t turn) {
  with_any_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using bound = bound_of<T>;
    const double from = 0.4 * unit(mixed(turn)), to = 1 - 0.4 * unit(mixed(turn + 1));
    if constexpr (is_float<T>) {
      p.lower = scalar::of(static_cast<bound>(2 * from - 1)), p.upper = scalar::of(static_cast<bound>(2 * to - 1));
    } else {
      p.lower = scalar::of(static_cast<bound>(samples::quantile(p.type, from).as<T>()));
      p.upper = scalar::of(static_cast<bound>(samples::quantile(p.type, to).as<T>()));
      if constexpr (sizeof(T) < 4) {
        if (turn % 2) p.lower = scalar::of(static_cast<bound>(std::numeric_limits<T>::min() - 70));
        if (turn % 3 == 0) p.upper = scalar::of(static_cast<bound>(std::numeric_limits<T>::max() + 1000));
      }
    }
  });
}

void complete_histogram(problem& p, std::uint64_t, std::uint64_t turn) {
  if (p.m) return;
  constexpr std::uint64_t counts[]{1, 64, 256, 2, 7, 255, 100, 257, 1000, 2048, 4097, 16384, 65536, 100003};
  p.m = counts[turn % std::size(counts)];
  if (p.n > 300000 && turn % 5 == 0) p.m = turn % 2 ? most_bins / p.channels : (1u << 20) + 1;
  if (p.edges) {
    p.m = std::min(p.m, most_edge_bins(p.type));
  } else if (turn % 3 == 0) {
    cover_all(p);
  } else {
    cover_part(p, turn);
  }
}

// Increasing: steps of one size, each edge anywhere in the first half of its step.
template <class T>
T edge(std::uint64_t i, std::uint64_t m, std::uint64_t seed) {
  const double jitter = 0.5 * unit(mixed(seed + i));
  if constexpr (is_float<T>) {
    const double x = 1.9 * (static_cast<double>(i) + jitter) / static_cast<double>(m + 1) - 0.95;
    if constexpr (std::is_same_v<T, half>) {
      return half(static_cast<float>(x));
    } else {
      return static_cast<T>(x);
    }
  } else {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * sizeof(T)), step = all / (m + 1);
    const std::uint64_t rank = i * step + static_cast<std::uint64_t>(jitter * static_cast<double>(step));
    return static_cast<T>(static_cast<std::uint64_t>(std::numeric_limits<T>::min()) + rank);
  }
}

// Both signs, some of them subnormal; f64 from one end of their range to the other now and then. In some problems one
// is an infinity or a NaN.
template <class W>
W weight(std::uint64_t i, std::uint64_t n, std::uint64_t seed) {
  const std::uint64_t bits = mixed(seed + 3 * i), problem_bits = mixed(seed ^ n);
  if (problem_bits % 8 == 0 && i == problem_bits % (n + n / 8))
    return problem_bits & 8 ? std::numeric_limits<W>::infinity() : std::numeric_limits<W>::quiet_NaN();
  const float size = bits % 16 == 0 ? 0x1p-20f : bits % 256 == 1 ? 0x1p-130f : 1.0f;
  const float w = (static_cast<float>(bits >> 40) * 0x1p-24f - 0.25f) * size;
  if constexpr (std::is_same_v<W, float>) return w;
  const double wide = static_cast<double>(w) * (1 + static_cast<double>(bits >> 20 & 0xfffff) * 0x1p-45);
  return static_cast<W>(bits % 64 == 5   ? std::ldexp(wide, static_cast<int>(bits >> 32 & 2047) - 1040)
                        : bits % 64 == 6 ? wide * 0x1p60
                                         : wide);
}

std::vector<array> histogram_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const std::uint64_t n = p.n, m = p.m;
  std::vector<array> all{{&problem::in, n, size_of(p.type),
                          [s = samples(p.type, kind, n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
                            s.fill(to, first, count);
                          }}};
  if (p.edges)
    all.push_back({&problem::in3, m + 1, size_of(p.type),
                   [type = p.type, m, seed](void* to, std::uint64_t first, std::uint64_t count) {
                     with_any_type(type, [&](auto tag) {
                       using T = typename decltype(tag)::type;
                       for (std::uint64_t i = 0; i < count; ++i) static_cast<T*>(to)[i] = edge<T>(first + i, m, seed);
                     });
                   }});
  if (p.weighted)
    all.push_back({&problem::in2, n, size_of(p.weight_type),
                   [n, seed, wide = p.weight_type == dtype::f64](void* to, std::uint64_t first, std::uint64_t count) {
                     for (std::uint64_t i = 0; i < count; ++i)
                       if (wide)
                         static_cast<double*>(to)[i] = weight<double>(first + i, n, seed);
                       else
                         static_cast<float*>(to)[i] = weight<float>(first + i, n, seed);
                   }});
  all.push_back({&problem::out, p.channels * m, 8, {}, true});
  return all;
}

template <class T, class Visit>
void each_bin(const problem& p, Visit visit) {
  const T* x = p.in.as<T>();
  const auto all = [&](auto bins) {
    std::uint32_t channel = 0;
    for (std::uint64_t i = 0; i < p.n; ++i) {
      if (const std::uint32_t b = bins(x[i]); b != no_bin) visit(i, channel * p.m + b);
      if (++channel == p.channels) channel = 0;
    }
  };
  const auto m = static_cast<std::uint32_t>(p.m);
  if (p.edges) return all(edge_bins<T>{p.in3.as<T>(), m, p.closed});
  all(even_bins<T>::of(p.lower.as<bound_of<T>>(), p.upper.as<bound_of<T>>(), m));
}

std::string describe_index(const problem& p, std::uint64_t i) {
  return "bin " + std::to_string(i % p.m) + " of " + std::to_string(p.m) +
         (p.channels > 1 ? ", channel " + std::to_string(i / p.m) : std::string()) + ": ";
}

std::string wrong_weights(const problem& p) {
  const weights_in_memory weights{p.in2.address(), p.weight_type == dtype::f64};
  const int bits_of_n = bits_of_count(p.n);
  std::vector<std::uint32_t> exponents(p.channels * p.m);
  std::vector<fixed_point> sums(p.channels * p.m);
  with_any_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    each_bin<T>(p,
                [&](std::uint64_t i, std::uint64_t b) { exponents[b] = std::max(exponents[b], weights(i).exponent); });
    each_bin<T>(p, [&](std::uint64_t i, std::uint64_t b) {
      const weight_parts w = weights(i);
      const fixed_point x = fixed_of(w, exponents[b], bits_of_n);
      sums[b] = is_subtracted(w, exponents[b]) ? difference(sums[b], x) : added(sums[b], x);
    });
  });
  const double* got = p.out.as<double>();
  for (std::uint64_t b = 0; b < sums.size(); ++b) {
    const double want = to_double(sums[b], exponents[b], bits_of_n);
    if (std::isnan(want) ? !std::isnan(got[b]) : !(got[b] == want))
      return describe_index(p, b) + number(got[b]) + " is not " + number(want);
  }
  return {};
}

std::string wrong_histogram(const problem& p, double) {
  if (p.weighted) return wrong_weights(p);
  std::vector<std::uint64_t> counts(p.channels * p.m);
  with_any_type(p.type, [&](auto tag) {
    each_bin<typename decltype(tag)::type>(p, [&](std::uint64_t, std::uint64_t b) { ++counts[b]; });
  });
  const auto* got = p.out.as<std::uint64_t>();
  for (std::uint64_t b = 0; b < counts.size(); ++b)
    if (got[b] != counts[b])
      return describe_index(p, b) + std::to_string(got[b]) + " is not " + std::to_string(counts[b]);
  return {};
}

std::string words_of_histogram(const problem& p) {
  std::string s(name_of(p.type));
  s += ", " + std::to_string(p.m) + (p.edges ? " custom bins" : " even bins");
  if (!p.edges)
    s += with_any_type(p.type, [&](auto tag) {
      using bound = bound_of<typename decltype(tag)::type>;
      return " of [" + number(p.lower.as<bound>()) + ", " + number(p.upper.as<bound>()) + ")";
    });
  if (p.channels > 1) s += ", " + std::to_string(p.channels) + " channels";
  if (p.closed) s += ", closed";
  if (p.weighted) s += p.weight_type == dtype::f64 ? ", weights of f64" : ", weights";
  return s;
}

std::vector<problem> timed_histograms(dtype type, op_kind, bool inclusive) {
  if (inclusive) return {};
  std::vector<problem> all;
  const auto add = [&](std::uint64_t m, std::uint32_t channels, std::uint32_t weights, bool edges) {
    problem p;
    p.what = primitive::histogram, p.type = type, p.m = m, p.channels = channels, p.weighted = weights, p.edges = edges;
    cover_all(p);
    all.push_back(p);
  };
  add(256, 1, 0, false);
  if (size_of(type) == 1) add(256, 4, 0, false);
  if (size_of(type) > 1) add(65536, 1, 0, false);
  if (size_of(type) == 4) {
    add(std::uint64_t{1} << 20, 1, 0, false);
    add(256, 1, 0, true);
    add(256, 1, 4, false);
  }
  return all;
}

traffic moves_of_histogram(const problem& p, input_kind) {
  return {static_cast<double>(p.n) * static_cast<double>(size_of(p.type) + (p.weighted ? size_of(p.weight_type) : 0)),
          8.0 * static_cast<double>(p.m) * p.channels};
}

std::vector<problem> huge_histogram() {
  problem p;
  p.what = primitive::histogram, p.type = dtype::u8, p.m = 256;
  cover_all(p);
  return {p};
}

// ---- range_count

std::vector<problem> range_forms(bool) {
  problem p;
  p.what = primitive::range_count, p.type = dtype::u64;
  return {p};
}

void complete_ranges(problem& p, std::uint64_t, std::uint64_t turn) {
  constexpr std::uint64_t counts[]{1, 65536, 2, 255, 4096, 1000003};
  if (!p.m) p.m = counts[turn % std::size(counts)];
}

std::vector<array> range_arrays(const problem& p, std::uint64_t seed, input_kind) {
  const std::uint64_t m = p.m;
  return {{&problem::in, m + 1, 8,
           [seed](void* to, std::uint64_t first, std::uint64_t count) {
             // Each less than a step above a multiple of steps: never falling, and soon beyond 32 bits.
             for (std::uint64_t i = first; i < first + count; ++i)
               static_cast<std::uint64_t*>(to)[i - first] = (i << 33) + (mixed(seed + i) >> 31);
           }},
          {&problem::in2, 2 * p.n, 8,
           [seed, m](void* to, std::uint64_t first, std::uint64_t count) {
             for (std::uint64_t i = first; i < first + count; ++i) {
               const std::uint64_t a = mixed(seed + i / 2 * 2) % (m + 1),
                                   more = mixed(seed + i / 2 * 2 + 1) % (m + 1 - a);
               static_cast<std::uint64_t*>(to)[i - first] = i % 2 ? a + more : a;
             }
           }},
          {&problem::out, p.n, 8, {}, true}};
}

std::string wrong_ranges(const problem& p, double) {
  const auto *prefix = p.in.as<std::uint64_t>(), *ends = p.in2.as<std::uint64_t>(), *got = p.out.as<std::uint64_t>();
  for (std::uint64_t i = 0; i < p.n; ++i) {
    const std::uint64_t want = prefix[ends[2 * i + 1]] - prefix[ends[2 * i]];
    if (got[i] != want)
      return "range " + std::to_string(i) + " of " + std::to_string(p.n) + ": " + std::to_string(got[i]) + " is not " +
             std::to_string(want);
  }
  return {};
}

std::vector<problem> timed_ranges(dtype type, op_kind, bool inclusive) {
  if (inclusive || type != dtype::u64) return {};
  problem p;
  p.what = primitive::range_count, p.type = type, p.m = 65536;
  return {p};
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  conformance_test histogram;
  histogram.what = primitive::histogram;
  histogram.forms = histogram_forms;
  histogram.complete = complete_histogram;
  histogram.arrays = histogram_arrays;
  histogram.wrong = wrong_histogram;
  histogram.words = words_of_histogram;
  histogram.timed = timed_histograms;
  histogram.moves = moves_of_histogram;
  histogram.kinds = true;
  histogram.huge = huge_histogram;
  histogram.huge_kinds = {input_kind::uniform, input_kind::constant};

  conformance_test ranges;
  ranges.what = primitive::range_count;
  ranges.forms = range_forms;
  ranges.complete = complete_ranges;
  ranges.arrays = range_arrays;
  ranges.wrong = wrong_ranges;
  ranges.words = [](const problem& p) { return std::to_string(p.m) + " prefixes"; };
  ranges.timed = timed_ranges;
  ranges.huge = [] {  // so many prefixes
    problem p;
    p.what = primitive::range_count, p.type = dtype::u64, p.n = 1'000'003, p.m = (std::uint64_t{1} << 32) + 12347;
    return std::vector{p};
  };
  ranges.moves = [](const problem& p, input_kind) {
    return traffic{32.0 * static_cast<double>(p.n), 8.0 * static_cast<double>(p.n)};
  };

  return {histogram, ranges};
}

}  // namespace upsweep::detail::histogram_impl
