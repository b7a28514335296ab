// Finding bins is arithmetic, which the compiler vectorises for each instruction set. Counting is one addition to
// memory a sample; the only optimisation is that neighbours do not wait for each other.
#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/histogram/cpu/histogram_cpu_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>
#include <type_traits>

#include "upsweep/histogram/cpu/histogram_cpu_kernels.hpp"
#include "upsweep/histogram/histogram_bins.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {
namespace histogram {

namespace hn = hwy::HWY_NAMESPACE;

using detail::histogram_impl::edge_bins;
using detail::histogram_impl::even_bins;
using detail::histogram_impl::no_bin;

#if HWY_TARGET == HWY_SCALAR
inline constexpr bool float_vectors = false;
#else
inline constexpr bool float_vectors = true;
#endif

// The steps of even_bins<float> in vectors; returns the number of bins it has written.
std::uint64_t even_floats(const float* x, std::uint64_t n, const even_bins<float>& bin, std::uint32_t* bins) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  constexpr std::uint64_t lanes = hn::MaxLanes(hn::ScalableTag<float>());
  const auto lower = hn::Set(d, bin.lower), upper = hn::Set(d, bin.upper), scale = hn::Set(d, bin.scale),
             m = hn::Set(d, static_cast<float>(bin.m));
  const auto last = hn::Set(di, static_cast<std::int32_t>(bin.m - 1)), nowhere = hn::Set(di, -1);
  std::uint64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    const auto b = hn::Mul(hn::Sub(v, lower), scale);
    const auto whole = hn::IfThenElse(hn::RebindMask(di, hn::Lt(b, m)), hn::ConvertTo(di, b), last);
    const auto inside = hn::And(hn::Ge(v, lower), hn::Lt(v, upper));
    hn::StoreU(hn::IfThenElse(hn::RebindMask(di, inside), whole, nowhere), di,
               reinterpret_cast<std::int32_t*>(bins + i));
  }
  return i;
}

template <class T>
void even(const void* samples, std::uint64_t n, const void* rule, std::uint32_t* bins) {
  const T* x = static_cast<const T*>(samples);
  const even_bins<T> bin = *static_cast<const even_bins<T>*>(rule);
  if constexpr (is_floating(dtype_of<T>)) {
    std::uint64_t i = 0;
    if constexpr (float_vectors && std::is_same_v<T, float>) i = even_floats(x, n, bin, bins);
    for (; i < n; ++i) bins[i] = bin(x[i]);
  } else if (bin.exact) {
    // As even_bins, without its correction.
    for (std::uint64_t i = 0; i < n; ++i) {
      const auto far =
          static_cast<typename even_bins<T>::distance>(static_cast<typename even_bins<T>::distance>(x[i]) - bin.lower);
      const auto b =
          static_cast<std::uint32_t>((static_cast<std::uint64_t>(far) >> bin.shift) * bin.scale >> even_bins<T>::point);
      bins[i] = far > bin.last ? no_bin : b;
    }
  } else {
    for (std::uint64_t i = 0; i < n; ++i) bins[i] = bin(x[i]);
  }
}

#if HWY_TARGET != HWY_SCALAR
// As edge_bins, for types of 4 bytes, four vectors in step, so that their look-ups overlap; returns the number of bins
// it has written.
template <class T>
std::uint64_t find_between_edges(const T* x, std::uint64_t n, const edge_bins<T>& bin, std::uint32_t* bins) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  constexpr std::uint64_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
  const auto first = hn::Set(d, bin.edges[0]), last = hn::Set(d, bin.edges[bin.m]);
  const auto nowhere = hn::Set(di, -1);
  const auto step = [&](auto v, auto low, auto higher) HWY_ATTR {
    const auto edge = hn::GatherIndex(d, bin.edges, higher);
    return hn::IfThenElse(hn::RebindMask(di, hn::Gt(edge, v)), low, higher);
  };
  const auto store = [&](auto v, auto low, std::uint32_t* to) HWY_ATTR {
    const auto outside = hn::RebindMask(di, hn::Gt(first, v));
    const auto below = hn::Lt(v, last);
    const auto inside = hn::RebindMask(di, bin.closed ? hn::Or(below, hn::Eq(v, last)) : below);
    hn::StoreU(hn::IfThenElse(outside, nowhere, hn::IfThenElse(inside, low, nowhere)), di,
               reinterpret_cast<std::int32_t*>(to));
  };
  std::uint64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto va = hn::LoadU(d, x + i), vb = hn::LoadU(d, x + i + lanes), vc = hn::LoadU(d, x + i + 2 * lanes),
               ve = hn::LoadU(d, x + i + 3 * lanes);
    auto a = hn::Zero(di), b = a, c = a, e = a;
    for (std::uint32_t left = bin.m; left > 1;) {
      const auto half = hn::Set(di, static_cast<std::int32_t>(left / 2));
      a = step(va, a, hn::Add(a, half));
      b = step(vb, b, hn::Add(b, half));
      c = step(vc, c, hn::Add(c, half));
      e = step(ve, e, hn::Add(e, half));
      left -= left / 2;
    }
    store(va, a, bins + i);
    store(vb, b, bins + i + lanes);
    store(vc, c, bins + i + 2 * lanes);
    store(ve, e, bins + i + 3 * lanes);
  }
  return i;
}
#endif

// Bisection in step for a few samples at once: the number of steps depends only on the number of bins.
template <class T>
void edges(const void* samples, std::uint64_t n, const void* rule, std::uint32_t* bins) {
  constexpr std::uint64_t at_once = 16;
  const T* x = static_cast<const T*>(samples);
  const edge_bins<T> bin = *static_cast<const edge_bins<T>*>(rule);
  std::uint64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 4) i = find_between_edges(x, n, bin, bins);
#endif
  if constexpr (dtype_of<T> != dtype::f16) {
    const T* edge = bin.edges;
    const T first = edge[0], last = edge[bin.m];
    for (; i + at_once <= n; i += at_once) {
      std::uint32_t low[at_once] = {};
      for (std::uint32_t left = bin.m; left > 1;) {
        const std::uint32_t half = left / 2;
        for (std::uint64_t j = 0; j < at_once; ++j) low[j] += edge[low[j] + half] <= x[i + j] ? half : 0;
        left -= half;
      }
      for (std::uint64_t j = 0; j < at_once; ++j)
        bins[i + j] = first <= x[i + j] && (bin.closed ? x[i + j] <= last : x[i + j] < last) ? low[j] : no_bin;
    }
  }
  for (; i < n; ++i) bins[i] = bin(x[i]);
}

template <class U>
void look_up(const void* samples, std::uint64_t n, const void* rule, std::uint32_t* bins) {
  const U* x = static_cast<const U*>(samples);
  const auto* table = static_cast<const std::uint32_t*>(rule);
  for (std::uint64_t i = 0; i < n; ++i) bins[i] = table[x[i]];
}

bins_kernel bins_for(dtype type, bin_rule rule) {
  if (rule == bin_rule::looked_up) return size_of(type) == 1 ? look_up<std::uint8_t> : look_up<std::uint16_t>;
  return with_any_type(
      type, [&]<class T>(type_tag<T>) -> bins_kernel { return rule == bin_rule::even ? even<T> : edges<T>; });
}

// Eight tables, for the eight bytes of a word: channels that divide eight each have tables of their own.
void count_bytes_in_tables(const unsigned char* x, std::uint64_t n, std::uint64_t channels, std::uint64_t* counts) {
  constexpr std::uint64_t most = std::uint64_t{1} << 31;  // until counts of 32 bits have to be emptied
  alignas(64) std::uint32_t table[8][256];
  while (n > 0) {
    const std::uint64_t part = n < most ? n : most;
    std::memset(table, 0, sizeof table);
    std::uint64_t i = 0;
    for (; i + 16 <= part; i += 16) {
      std::uint64_t a, b;
      std::memcpy(&a, x + i, 8);
      std::memcpy(&b, x + i + 8, 8);
      ++table[0][a & 255], ++table[1][a >> 8 & 255], ++table[2][a >> 16 & 255], ++table[3][a >> 24 & 255];
      ++table[4][a >> 32 & 255], ++table[5][a >> 40 & 255], ++table[6][a >> 48 & 255], ++table[7][a >> 56];
      ++table[0][b & 255], ++table[1][b >> 8 & 255], ++table[2][b >> 16 & 255], ++table[3][b >> 24 & 255];
      ++table[4][b >> 32 & 255], ++table[5][b >> 40 & 255], ++table[6][b >> 48 & 255], ++table[7][b >> 56];
    }
    for (; i < part; ++i) ++table[i % 8][x[i]];
    for (std::uint64_t t = 0; t < 8; ++t)
      for (std::uint64_t value = 0; value < 256; ++value) counts[t % channels * 256 + value] += table[t][value];
    x += part;
    n -= part;
  }
}

}  // namespace histogram

bins_kernel histogram_bins_for(dtype type, bin_rule rule) { return histogram::bins_for(type, rule); }
void histogram_count_bytes(const unsigned char* x, std::uint64_t n, std::uint64_t channels, std::uint64_t* counts) {
  histogram::count_bytes_in_tables(x, n, channels, counts);
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::cpu {

UPSWEEP_EXPORT(histogram_bins_for);
UPSWEEP_EXPORT(histogram_count_bytes);

bins_kernel find_bins(dtype type, bin_rule rule) { return UPSWEEP_DISPATCH(histogram_bins_for)(type, rule); }
void count_bytes(const unsigned char* x, std::uint64_t n, std::uint64_t channels, std::uint64_t* counts) {
  UPSWEEP_DISPATCH(histogram_count_bytes)(x, n, channels, counts);
}

}  // namespace upsweep::cpu
#endif
