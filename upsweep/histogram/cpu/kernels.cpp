// Finding bins is arithmetic, which the compiler turns into vectors for each instruction set; counting is one addition to memory a sample, and
// all that can be done about it is that neighbours do not wait for each other.
#include "upsweep/cpu/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/histogram/cpu/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "upsweep/histogram/bins.hpp"
#include "upsweep/histogram/cpu/kernels.hpp"
#include "upsweep/histogram/weights.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {
namespace histogram {

using histogram_room::edge_bins;
using histogram_room::even_bins;
using histogram_room::no_bin;

template <class T>
void even(const void* samples, std::uint64_t n, const void* rule, std::uint32_t* bins) {
  const T* x = static_cast<const T*>(samples);
  const even_bins<T> bin = *static_cast<const even_bins<T>*>(rule);
  if constexpr (is_floating(dtype_of<T>)) {
    for (std::uint64_t i = 0; i < n; ++i) bins[i] = bin(x[i]);
  } else if (bin.exact) {
    // What even_bins does, without its correction.
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

// Bisection in step for a few samples at once: how many steps there are depends on the number of bins alone.
template <class T>
void edges(const void* samples, std::uint64_t n, const void* rule, std::uint32_t* bins) {
  constexpr std::uint64_t at_once = 16;
  const T* x = static_cast<const T*>(samples);
  const edge_bins<T> bin = *static_cast<const edge_bins<T>*>(rule);
  std::uint64_t i = 0;
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
      for (std::uint64_t j = 0; j < at_once; ++j) bins[i + j] = first <= x[i + j] && x[i + j] < last ? low[j] : no_bin;
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

void count_bytes_in_tables(const unsigned char* x, std::uint64_t n, std::uint64_t* counts) {
  constexpr std::uint64_t most = std::uint64_t{1} << 31;  // until 32-bit counts have to be emptied
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
    for (; i < part; ++i) ++table[0][x[i]];
    for (int value = 0; value < 256; ++value)
      for (const auto& t : table) counts[value] += t[value];
    x += part;
    n -= part;
  }
}

std::uint32_t largest(const float* weights, std::uint64_t n) {
  std::uint32_t most = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint32_t magnitude = histogram_room::weight_magnitude(weights[i]);
    most = magnitude > most ? magnitude : most;
  }
  return most;
}

}  // namespace histogram

bins_kernel histogram_bins_for(dtype type, bin_rule rule) { return histogram::bins_for(type, rule); }
void histogram_count_bytes(const unsigned char* x, std::uint64_t n, std::uint64_t* counts) {
  histogram::count_bytes_in_tables(x, n, counts);
}
std::uint32_t histogram_largest(const float* weights, std::uint64_t n) { return histogram::largest(weights, n); }

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::cpu {

HWY_EXPORT(histogram_bins_for);
HWY_EXPORT(histogram_count_bytes);
HWY_EXPORT(histogram_largest);

bins_kernel find_bins(dtype type, bin_rule rule) { return HWY_DYNAMIC_DISPATCH(histogram_bins_for)(type, rule); }
void count_bytes(const unsigned char* x, std::uint64_t n, std::uint64_t* counts) {
  HWY_DYNAMIC_DISPATCH(histogram_count_bytes)(x, n, counts);
}
std::uint32_t largest_magnitude(const float* weights, std::uint64_t n) {
  return HWY_DYNAMIC_DISPATCH(histogram_largest)(weights, n);
}

}  // namespace upsweep::cpu
#endif
