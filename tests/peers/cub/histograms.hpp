// DeviceHistogram: even bins and bins of one's own, of one channel or of the first of several, of rows with a pitch.
#pragma once

#include "cub/calls.hpp"
#include "upsweep/histogram.hpp"

namespace on_upsweep {

// Samples of one channel, row after row, in the type that CUB compares with its levels.
template <class T, class In>
struct sample_of {
  In samples;
  std::uint64_t width, pitch, channels, channel;
  UPSWEEP_HD T operator()(std::uint64_t i) const {
    const std::uint64_t row = width == 0 ? 0 : i / width;
    return static_cast<T>(samples[row * pitch + (i - row * width) * channels + channel]);
  }
};
template <class T, class In>
auto channel_of(In samples, std::uint64_t width, std::uint64_t rows, std::uint64_t pitch, std::uint64_t channels,
                std::uint64_t channel) {
  return upsweep::views::transform(upsweep::views::iota(std::uint64_t{0}, width * rows),
                                   sample_of<T, In>{samples, width, pitch, channels, channel});
}

// What CUB compares samples and levels in, by this library's name for it; halves are compared as floats, alike.
template <class Both>
auto compared_in() {
  if constexpr (std::is_integral_v<Both>)
    return builtin_integer<Both>{};
  else if constexpr (sizeof(Both) == 2)
    return float{};
  else
    return Both{};
}
template <class L, class S>
using compared = decltype(on_upsweep::compared_in<::cuda::std::common_type_t<L, S>>());

struct histogram_calls {
  template <class S, class C, class L, class N, class... Rest>
    requires(sizeof...(Rest) <= 1)
  static void HistogramEven(S samples, C* counts, int levels, L lower, L upper, N n, Rest...) {
    histogram_calls::even(samples, counts, levels, lower, upper, n, 1, n, 1, 0);
  }
  template <class S, class C, class L, class N, class... Rest>
  static void HistogramEven(S samples, C* counts, int levels, L lower, L upper, N width, N rows, std::size_t pitch,
                            Rest...) {
    histogram_calls::even(samples, counts, levels, lower, upper, width, rows, pitch / sizeof(value_of<S>), 1, 0);
  }
  template <class S, class C, class L, class N, class... Rest>
    requires(sizeof...(Rest) <= 1)
  static void HistogramRange(S samples, C* counts, int levels, const L* edges, N n, Rest...) {
    histogram_calls::range(samples, counts, levels, edges, n, 1, n, 1, 0);
  }
  template <class S, class C, class L, class N, class... Rest>
  static void HistogramRange(S samples, C* counts, int levels, const L* edges, N width, N rows, std::size_t pitch,
                             Rest...) {
    histogram_calls::range(samples, counts, levels, edges, width, rows, pitch / sizeof(value_of<S>), 1, 0);
  }

  template <int Channels, int Active, class S, class C, class M, class L, class N>
  static void MultiHistogramEven(S samples, C& counts, const M& levels, const L& lower, const L& upper, N width,
                                 N rows = 1, std::size_t pitch = 0) {
    for (int c = 0; c < Active; ++c)
      histogram_calls::even(samples, counts[c], levels[c], lower[c], upper[c], width, rows, pitch / sizeof(value_of<S>),
                            Channels, c);
  }
  template <int Channels, int Active, class S, class C, class M, class L, class N>
  static void MultiHistogramRange(S samples, C& counts, const M& levels, const L& edges, N width, N rows = 1,
                                  std::size_t pitch = 0) {
    for (int c = 0; c < Active; ++c)
      histogram_calls::range(samples, counts[c], levels[c], edges[c], width, rows, pitch / sizeof(value_of<S>),
                             Channels, c);
  }

 private:
  template <class S, class C, class L>
  static void even(S samples, C* counts, int levels, L lower, L upper, std::uint64_t width, std::uint64_t rows,
                   std::uint64_t pitch, int channels, int channel) {
    using T = compared<L, value_of<S>>;
    vector<std::uint64_t> found(levels - 1);
    upsweep::histogram(here(), on_upsweep::channel_of<T>(samples, width, rows, pitch, channels, channel),
                       on_upsweep::memory_of(found), static_cast<T>(lower), static_cast<T>(upper));
    on_upsweep::put(found, found.size(), counts);
  }
  template <class S, class C, class L>
  static void range(S samples, C* counts, int levels, const L* edges, std::uint64_t width, std::uint64_t rows,
                    std::uint64_t pitch, int channels, int channel) {
    using T = compared<L, value_of<S>>;
    vector<std::uint64_t> found(levels - 1);
    const vector<T> of_bins = on_upsweep::copied<T>(edges, levels);
    upsweep::histogram(here(), on_upsweep::channel_of<T>(samples, width, rows, pitch, channels, channel),
                       on_upsweep::memory_of(of_bins), on_upsweep::memory_of(found));
    on_upsweep::put(found, found.size(), counts);
  }
};

#define ON_UPSWEEP_CHANNELS(name)                                                                        \
  template <int Channels, int Active, class... A>                                                        \
  static cudaError_t name(A&&... a) {                                                                    \
    return on_upsweep::in_two_phases([](auto&&... x) { histogram_calls::name<Channels, Active>(x...); }, \
                                     std::forward<A>(a)...);                                             \
  }
struct DeviceHistogram {
  ON_UPSWEEP_CALL(histogram_calls, HistogramEven)
  ON_UPSWEEP_CALL(histogram_calls, HistogramRange)
  ON_UPSWEEP_CHANNELS(MultiHistogramEven)
  ON_UPSWEEP_CHANNELS(MultiHistogramRange)
};
#undef ON_UPSWEEP_CHANNELS

}  // namespace on_upsweep
