// histogram: the number of samples in each bin, or the sum of their weights, as numpy.histogram; range_counter: the
// number of samples in any ranges of bins.
//
//   upsweep::histogram(gpu, bytes.span(), counts.span(), 0, 256);              // counts.size() even bins over [0, 256)
//   upsweep::histogram(cpu, prices, edges, in_bins);                           // bin b is [edges[b], edges[b + 1])
//   upsweep::histogram(gpu, rgba.span(), of_channels.span(), 0, 256, 4);       // four interleaved channels: counts of
//                                                                              // channel 0 come first
//   upsweep::weighted_histogram(gpu, x.span(), w.span(), sums.span(), -1.0f, 1.0f);
//   upsweep::range_counter sales(gpu, sold.span(), 0.0f, 100.0f, 1000);        // builds 1000 bins and their prefix
//                                                                              // once
//   sales.count(ranges.span(), answers.span());                                // then each range costs two reads
//
// Result       counts[c·m + b] = the number of samples of channel c in bin b, with m = counts.size() / channels. Sample
//              i belongs to channel i mod channels. A sample in no bin, such as NaN, is not counted. Weighted: sums[c·m
//              + b] = the sum of the weights of those samples.
//              histogram/histogram_bins.hpp defines the bin of a sample, by one rule for every device; integers of up
//              to 32 bits are binned exactly. Bounds of such integers are std::int64_t, so that [0, 256) covers u8.
//              Bounds keep their value: bounds of integers may be integers of any type, bounds of floats numbers of any
//              type. A bound that a float cannot represent is replaced by the next float above, which puts every sample
//              into the same bin.
// Requires     1 to 2^24 bins; lower < upper, or m + 1 increasing edges; samples of any built-in type, counts u64,
//              weights f32 or f64, sums f64. Outputs overlap neither inputs nor other outputs.
// Inputs       Device spans, buffers, contiguous ranges. Samples and weights may also be ranges with random access and
//              lazy views (views.hpp). These are evaluated while they are counted and never stored; with weights they
//              are evaluated twice, because the largest weight of a bin determines the precision of its sum. Over host
//              memory the CPU counts them whatever the context. Over device memory the CPU counts them, and CUDA where
//              nvcc compiles the call. If all their functions have device source and their elements are not rows
//              (docs/calls.md), OpenCL, and CUDA from any file, count them too, and store them first.
// Work         n bin searches: O(1) each for even bins, O(log m) for custom ones. Every sample is read once; with
//              weights, samples and weights are read twice.
// Scratch      At most O(m) for each block. The context owns the scratch; the second call of the same shape allocates
//              none.
// Determinism  Counts and sums of weights are bitwise equal on every device, because weights are summed as integers.
//              Each sum depends on the weights of its bin alone, and is correct to the last bit whatever the magnitudes
//              in other bins (histogram/histogram_weights.hpp states the precision within a bin). An infinite or NaN
//              weight makes the sum of its bin infinite or NaN, as consecutive additions do.
// Asynchrony   Device spans: enqueued. Host memory: done on return.
// Host memory  Streamed through the device in chunks when it does not fit there. The sums of the chunks are then added
//              in f64, with the rounding of each addition: only sums of several chunks can differ from those of other
//              devices, in their last bits.
// Errors       upsweep::error: no bins or more than 2^24, no channels, lower >= upper or bounds that are not finite,
//              edges that do not increase (in device memory of a GPU only in checked calls: .checked of with(),
//              UPSWEEP_CHECKED), sizes that differ, overlap, an invalid range.
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/histogram/histogram_bins.hpp"
#include "upsweep/histogram/histogram_operands.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {

// The type of the bounds of even bins for samples of type T, the limits of the bounds, and the largest number of bins.
template <class T>
using bin_bound = detail::histogram_impl::bound_of<T>;
template <class T>
inline constexpr bin_bound<T> lowest_bin_bound = detail::histogram_impl::lowest_bound<T>;
template <class T>
inline constexpr bin_bound<T> highest_bin_bound = detail::histogram_impl::highest_bound<T>;
inline constexpr std::uint64_t most_histogram_bins = detail::histogram_impl::most_bins;
// Types that the calls below accept for a bound of even bins for samples of type T.
template <class B, class T>
concept bin_bound_for = detail::histogram_impl::bound_for<B, T>;

inline namespace UPSWEEP_COMPILED {

// Even bins.
template <class X, class C, class L, class U>
  requires operands<X, C> && bin_bound_for<L, element_of<X>> && bin_bound_for<U, element_of<X>>
void histogram(const context& where, const X& samples, C&& counts, const L& lower, const U& upper,
               std::uint32_t channels = 1) {
  using T = element_of<X>;
  const auto out = core::written_operand(counts);
  auto p = detail::histogram_impl::make_problem<T>("histogram", out.size(), channels);
  detail::histogram_impl::set_bounds_from<T>("histogram", p, lower, upper);
  detail::histogram_impl::count_into<T>("histogram", where, p, core::read_operand(samples), core::operand<const T>(),
                                        detail::histogram_impl::no_weights(), out);
}

// Custom bins.
template <class X, class E, class C>
  requires operands<X, E, C>
void histogram(const context& where, const X& samples, const E& edges, C&& counts, std::uint32_t channels = 1) {
  using T = element_of<X>;
  const auto out = core::written_operand(counts);
  auto p = detail::histogram_impl::make_problem<T>("histogram", out.size(), channels);
  const auto bounds = core::read_operand(edges);
  detail::histogram_impl::set_edges<T>("histogram", where, p, bounds);
  detail::histogram_impl::count_into<T>("histogram", where, p, core::read_operand(samples), bounds,
                                        detail::histogram_impl::no_weights(), out);
}

template <class X, class W, class S, class L, class U>
  requires operands<X, W, S> && bin_bound_for<L, element_of<X>> && bin_bound_for<U, element_of<X>>
void weighted_histogram(const context& where, const X& samples, const W& weights, S&& sums, const L& lower,
                        const U& upper, std::uint32_t channels = 1) {
  using T = element_of<X>;
  const auto out = core::written_operand(sums);
  auto p = detail::histogram_impl::make_problem<T>("weighted_histogram", out.size(), channels);
  p.weighted = true;
  detail::histogram_impl::set_bounds_from<T>("weighted_histogram", p, lower, upper);
  detail::histogram_impl::count_into<T>("weighted_histogram", where, p, core::read_operand(samples),
                                        core::operand<const T>(), core::read_operand(weights), out);
}

template <class X, class W, class E, class S>
  requires operands<X, W, E, S>
void weighted_histogram(const context& where, const X& samples, const W& weights, const E& edges, S&& sums,
                        std::uint32_t channels = 1) {
  using T = element_of<X>;
  const auto out = core::written_operand(sums);
  auto p = detail::histogram_impl::make_problem<T>("weighted_histogram", out.size(), channels);
  p.weighted = true;
  const auto bounds = core::read_operand(edges);
  detail::histogram_impl::set_edges<T>("weighted_histogram", where, p, bounds);
  detail::histogram_impl::count_into<T>("weighted_histogram", where, p, core::read_operand(samples), bounds,
                                        core::read_operand(weights), out);
}

}  // namespace UPSWEEP_COMPILED

// Bins first to last - 1.
struct bin_range {
  std::uint64_t first = 0, last = 0;
  friend bool operator==(bin_range, bin_range) = default;
};

// Counts the samples in any ranges of bins. The constructor computes the histogram and its prefix sums; each range then
// takes two reads and a subtraction.
// range_counter(where, x, 0, k, k) counts integers in [0, k) by value: each value has its own bin.
class range_counter {
 public:
  // `bins` even bins over [lower, upper).
  template <class X, class L, class U, class CompiledBy = this_compiler>
    requires operands<X> && bin_bound_for<L, element_of<X>> && bin_bound_for<U, element_of<X>>
  range_counter(const context& where, const X& samples, const L& lower, const U& upper, std::uint64_t bins)
      : range_counter(where, bins) {
    build(samples, [&](auto&& counts) { upsweep::histogram(where_, samples, counts, lower, upper); });
  }
  // Custom bins.
  template <class X, class E, class CompiledBy = this_compiler>
    requires operands<X, E>
  range_counter(const context& where, const X& samples, const E& edges)
      : range_counter(where, bins_between(core::read_operand(edges).size())) {
    build(samples, [&](auto&& counts) { upsweep::histogram(where_, samples, edges, counts); });
  }

  // From an existing histogram: counts[b] samples in bin b, any number of bins.
  static range_counter from_histogram(const context& where, std::span<const std::uint64_t> counts);
  // Enqueued.
  template <class C>
    requires is_device_span<C>
  static range_counter from_histogram(const context& where, const C& counts) {
    return range_counter(where, device_span<const std::uint64_t>(counts));
  }

  std::uint64_t bins() const { return prefix_.size() - 1; }

  // Enqueued. An invalid range (first > last, or last > bins()) is reported on the CPU and in checked calls, and is
  // not detected elsewhere.
  void count(device_span<const bin_range> ranges, device_span<std::uint64_t> counts) const;
  // Done on return.
  void count(std::span<const bin_range> ranges, std::span<std::uint64_t> counts) const;
  std::uint64_t count(std::uint64_t first, std::uint64_t last) const;

 private:
  range_counter(const context& where, std::uint64_t bins);
  range_counter(const context& where, device_span<const std::uint64_t> counts);
  range_counter(const context& where, buffer<std::uint64_t> prefix) : where_(where), prefix_(std::move(prefix)) {}
  static std::uint64_t bins_between(std::uint64_t edges) { return edges ? edges - 1 : 0; }

  template <class X, class Make>
  void build(const X&, Make make) {
    const device_span<std::uint64_t> counts = prefix_.span().subspan(1, bins());
    if constexpr (is_device_span<X>) {
      make(counts);
    } else {
      std::vector<std::uint64_t> host(bins());
      make(host);
      upload(where_, std::span<const std::uint64_t>(host), counts);
    }
    add_up();
  }
  void add_up();

  context where_;
  buffer<std::uint64_t> prefix_;  // prefix_[b]: the number of samples below bin b
};

}  // namespace upsweep

#include "upsweep/histogram/histogram_lazy.hpp"  // last: overloads for lazy samples and weights
