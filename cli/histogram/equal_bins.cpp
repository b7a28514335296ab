#include "cli/histogram/equal_bins.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "cli/io/nearest_half.hpp"

using namespace upsweep;

std::vector<double> edges_between(double first, double last, std::uint64_t m) {
  std::vector<double> edges;
  const double across = last - first, parts = static_cast<double>(m), step = across / parts;
  for (std::uint64_t b = 0; b < m; ++b) {
    const auto place = static_cast<double>(b);
    edges.push_back((step == 0 ? place / parts * across : place * step) + first);
  }
  edges.push_back(last);
  return edges;
}

namespace {

// Elements as numbers in the same order, one after the other.
template <class T>
std::uint64_t rank_of(T x) {
  if constexpr (std::is_unsigned_v<T>) {
    return x;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint64_t>(std::int64_t{x}) ^ std::uint64_t{1} << 63;
  } else {
    using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
    constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));
    const auto b = std::bit_cast<bits>(x);
    return static_cast<bits>(b & sign ? ~b : b | sign);
  }
}

template <class T>
T element_of_rank(std::uint64_t rank) {
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(rank);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(rank ^ std::uint64_t{1} << 63));
  } else {
    using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
    constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));
    const auto b = static_cast<bits>(rank);
    return std::bit_cast<T>(static_cast<bits>(b & sign ? b ^ sign : ~b));
  }
}

// The type in which NumPy computes: the elements' own type, or double for integers.
template <class T>
using computed_in = std::conditional_t<std::is_integral_v<T>, double, T>;

template <class T>
constexpr T greatest_of = [] {
  if constexpr (std::is_same_v<T, half>)
    return half::of_bits(0x7bff);
  else
    return std::numeric_limits<T>::max();
}();

template <class F>
F rounded_to(double x) {
  if constexpr (std::is_same_v<F, half>)
    return nearest_half(x);
  else
    return static_cast<F>(x);
}

template <class F>
F scaled(F x, F first, F norm) {
  if constexpr (std::is_same_v<F, half>)
    return half(static_cast<float>(half(static_cast<float>(x) - static_cast<float>(first))) * static_cast<float>(norm));
  else
    return (x - first) * norm;
}

template <class T>
struct numpy_bins {
  using F = computed_in<T>;
  std::vector<double> edges;
  F first, norm;
  std::uint64_t m;

  std::uint64_t operator()(T element) const {
    const F x = static_cast<F>(element);
    const auto value = static_cast<double>(x);
    const auto place = static_cast<double>(scaled(x, first, norm));
    // Where the scale overflows there is only the search.
    if (!(place >= 0 && place <= static_cast<double>(m) + 1)) {
      const auto after = std::upper_bound(edges.begin(), edges.end() - 1, value) - edges.begin();
      return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(after, 1) - 1);
    }
    std::uint64_t b = std::min(static_cast<std::uint64_t>(place), m - 1);
    if (b > 0 && value < edges[b]) --b;
    if (b < m - 1 && value >= edges[b + 1]) ++b;
    return b;
  }
};

// The least rank in [low, end) that passes, near `guess`; the ranks that pass are the last ones. `end` where none does.
template <class Passes>
std::uint64_t first_passing(std::uint64_t low, std::uint64_t end, std::uint64_t guess, Passes passes) {
  guess = std::clamp(guess, low, end);
  std::uint64_t fails = low, good = end;  // all below `fails` fail
  if (guess < end && !passes(guess)) {
    fails = guess + 1;
    for (std::uint64_t step = 1; end - fails > step; step *= 2) {
      if (passes(fails + step)) {
        good = fails + step;
        break;
      }
      fails += step + 1;
    }
  } else {
    good = guess;
    for (std::uint64_t step = 1; good - low >= step; step *= 2) {
      if (!passes(good - step)) {
        fails = good - step + 1;
        break;
      }
      good -= step;
    }
  }
  while (fails < good) {
    const std::uint64_t middle = fails + (good - fails) / 2;
    if (passes(middle))
      good = middle;
    else
      fails = middle + 1;
  }
  return good;
}

}  // namespace

template <class T>
std::optional<T> next_element(T x) {
  if (std::is_integral_v<T> && x == std::numeric_limits<T>::max()) return std::nullopt;
  return element_of_rank<T>(rank_of(x == T(0) ? T(0) : x) + 1);  // -0 is 0
}

template <class T>
void set_equal_bins(bin_plan& plan, double first, double last, double width, std::optional<T> least,
                    std::optional<T> end, bool closed) {
  using F = computed_in<T>;
  numpy_bins<T> bins{edges_between(first, last, plan.m), rounded_to<F>(first),
                     rounded_to<F>(static_cast<double>(plan.m) / width), plan.m};
  for (double& e : bins.edges) e = static_cast<double>(rounded_to<F>(e));
  constexpr T top = greatest_of<T>;
  const std::uint64_t last_rank = rank_of(end.value_or(top)),
                      low = std::min(least ? rank_of(*least == T(0) ? T(0) : *least) : last_rank, last_rank);
  if (least && !end) plan.bin_of_greatest = bins(top);
  std::vector<std::uint64_t> ranks{low};
  for (std::uint64_t b = 1; b < plan.m; ++b) {
    const double edge = bins.edges[b];
    const std::optional<T> guess = first_not_below<T>(number_from(edge));
    ranks.push_back(first_passing(ranks.back(), last_rank, guess ? rank_of(*guess) : last_rank,
                                  [&](std::uint64_t rank) { return bins(element_of_rank<T>(rank)) >= b; }));
  }
  ranks.push_back(last_rank);
  std::vector<T> edges;
  for (std::uint64_t b = 0; b < plan.m; ++b) {
    plan.counted_as.push_back(ranks[b] < ranks[b + 1] ? edges.size() : bin_plan::nowhere);
    if (ranks[b] < ranks[b + 1]) edges.push_back(element_of_rank<T>(ranks[b]));
  }
  if (edges.empty())
    edges = {T(0), T(1)};  // counted as no bin's
  else
    edges.push_back(element_of_rank<T>(last_rank));
  plan.edges.resize(edges.size() * sizeof(T));
  std::memcpy(plan.edges.data(), edges.data(), plan.edges.size());
  plan.shown = std::move(bins.edges);
  plan.closed = closed;
}

#define UPSWEEP_BINS_OF(T)                   \
  template std::optional<T> next_element(T); \
  template void set_equal_bins(bin_plan&, double, double, double, std::optional<T>, std::optional<T>, bool);
UPSWEEP_BINS_OF(std::int8_t)
UPSWEEP_BINS_OF(std::uint8_t)
UPSWEEP_BINS_OF(std::int16_t)
UPSWEEP_BINS_OF(std::uint16_t)
UPSWEEP_BINS_OF(std::int32_t)
UPSWEEP_BINS_OF(std::uint32_t)
UPSWEEP_BINS_OF(std::int64_t)
UPSWEEP_BINS_OF(std::uint64_t)
UPSWEEP_BINS_OF(half)
UPSWEEP_BINS_OF(float)
UPSWEEP_BINS_OF(double)
#undef UPSWEEP_BINS_OF
