// histogram: how many samples fall into each bin, or the sum of their weights; range_counter: how many fall into any
// range of bins, at once.
//
//   upsweep::histogram(gpu, bytes.span(), counts.span(), 0, 256);              // counts.size() even bins over [0, 256)
//   upsweep::histogram(cpu, prices, edges, in_bins);                           // bin b is [edges[b], edges[b + 1])
//   upsweep::histogram(gpu, rgba.span(), of_channels.span(), 0, 256, 4);       // four channels that take turns: counts
//                                                                              // of channel 0 first
//   upsweep::weighted_histogram(gpu, x.span(), w.span(), sums.span(), -1.0f, 1.0f);
//   upsweep::range_counter sales(gpu, sold.span(), 0.0f, 100.0f, 1000);        // builds 1000 bins and their prefix
//                                                                              // once
//   sales.count(ranges.span(), answers.span());                                // then each range costs two reads
//
// Result       counts[c·m + b] = how many samples of channel c lie in bin b of m = counts.size() / channels. Sample i
//              is of channel i mod channels. A sample in no bin, NaN among them, is not counted. Weighted: sums[c·m +
//              b] = the sum of the weights of those samples.
//              Which bin: upsweep/histogram/bins.hpp, the same rule on every device; integers of up to 32 bits are
//              binned exactly. Bounds of such integers are std::int64_t, so that [0, 256) covers u8.
// Requires     1 to 2^24 bins; lower < upper, or m + 1 edges that increase; samples of any built-in type, counts u64,
//              weights f32, sums f64. What is written overlaps nothing.
// Inputs       device spans, buffers, contiguous ranges; samples and weights also ranges with random access and what
//              inputs.hpp makes, read where they are counted (weights twice: their largest says how precisely all are
//              summed) and never stored. Those are counted in host memory by the CPU whatever the context, in device
//              memory by the CPU, by CUDA where nvcc compiles the call, and, where every function in them carries its
//              text and no rows come out (docs/calls.md), by OpenCL and by CUDA from any file: there they are stored
//              first.
// Work         n bin searches: O(1) each for even bins, O(log m) for custom ones. Every sample, and weight, is read
//              once (weights twice on some devices).
// Scratch      O(m) for each block at most, owned by the context, none allocated in the second call of the same shape.
// Determinism  Counts, and sums of weights too, are the same in every bit on every device: weights are summed as
//              integers (upsweep/histogram/weights.hpp says how precisely). An infinite or NaN weight makes every sum
//              NaN.
// Asynchrony   device spans: enqueued. Host memory: done on return.
// Host memory  streamed through the device in chunks when it does not fit there. The sums of the chunks are then added
//              in f64: only sums of several chunks can differ from those of other devices, in their last bits.
// Errors       upsweep::error: no bins or more than 2^24, no channels, lower >= upper or bounds that are not finite,
//              edges that do not increase (on device memory other than the CPU's in checked calls: .checked of with(),
//              UPSWEEP_CHECKED), sizes that differ, overlap, a range that is none.
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/histogram/bins.hpp"
#include "upsweep/histogram/operands.hpp"
#include "upsweep/histogram/problem.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {

// What the bounds of even bins of T's are given in, how far they may go, and how many bins there may be.
template <class T>
using bin_bound = histogram_room::bound_of<T>;
template <class T>
inline constexpr bin_bound<T> lowest_bin_bound = histogram_room::lowest_bound<T>;
template <class T>
inline constexpr bin_bound<T> highest_bin_bound = histogram_room::highest_bound<T>;
inline constexpr std::uint64_t most_histogram_bins = histogram_room::most_bins;

inline namespace UPSWEEP_COMPILED {

// Even bins.
template <class X, class C>
  requires operands<X, C>
void histogram(const context& where, const X& samples, C&& counts, std::type_identity_t<bin_bound<element_of<X>>> lower,
               std::type_identity_t<bin_bound<element_of<X>>> upper, std::uint32_t channels = 1) {
  using T = element_of<X>;
  const auto out = core::written_operand(counts);
  auto p = histogram_room::counting<T>("histogram", out.size(), channels);
  histogram_room::set_bounds<T>("histogram", p, lower, upper);
  histogram_room::count_into<T>("histogram", where, p, core::read_operand(samples), core::operand<const T>(), {}, out);
}

// Custom bins.
template <class X, class E, class C>
  requires operands<X, E, C>
void histogram(const context& where, const X& samples, const E& edges, C&& counts, std::uint32_t channels = 1) {
  using T = element_of<X>;
  const auto out = core::written_operand(counts);
  auto p = histogram_room::counting<T>("histogram", out.size(), channels);
  const auto bounds = core::read_operand(edges);
  histogram_room::set_edges<T>("histogram", where, p, bounds);
  histogram_room::count_into<T>("histogram", where, p, core::read_operand(samples), bounds, {}, out);
}

template <class X, class W, class S>
  requires operands<X, W, S>
void weighted_histogram(const context& where, const X& samples, const W& weights, S&& sums,
                        std::type_identity_t<bin_bound<element_of<X>>> lower,
                        std::type_identity_t<bin_bound<element_of<X>>> upper, std::uint32_t channels = 1) {
  using T = element_of<X>;
  const auto out = core::written_operand(sums);
  auto p = histogram_room::counting<T>("weighted_histogram", out.size(), channels);
  p.weighted = true;
  histogram_room::set_bounds<T>("weighted_histogram", p, lower, upper);
  histogram_room::count_into<T>("weighted_histogram", where, p, core::read_operand(samples), core::operand<const T>(),
                                core::read_operand(weights), out);
}

template <class X, class W, class E, class S>
  requires operands<X, W, E, S>
void weighted_histogram(const context& where, const X& samples, const W& weights, const E& edges, S&& sums,
                        std::uint32_t channels = 1) {
  using T = element_of<X>;
  const auto out = core::written_operand(sums);
  auto p = histogram_room::counting<T>("weighted_histogram", out.size(), channels);
  p.weighted = true;
  const auto bounds = core::read_operand(edges);
  histogram_room::set_edges<T>("weighted_histogram", where, p, bounds);
  histogram_room::count_into<T>("weighted_histogram", where, p, core::read_operand(samples), bounds,
                                core::read_operand(weights), out);
}

}  // namespace UPSWEEP_COMPILED

// The bins first to last - 1.
struct bin_range {
  std::uint64_t first = 0, last = 0;
  friend bool operator==(bin_range, bin_range) = default;
};

// Counts of any ranges of bins: the histogram and its prefix are made once, each range is then answered by two reads
// and a subtraction.
// Integers of which each value has a bin of its own, range_counter(where, x, 0, k, k), are counted by value.
class range_counter {
 public:
  // `bins` even bins over [lower, upper).
  template <class X, class CompiledBy = this_compiler>
    requires operands<X>
  range_counter(const context& where, const X& samples, std::type_identity_t<bin_bound<element_of<X>>> lower,
                std::type_identity_t<bin_bound<element_of<X>>> upper, std::uint64_t bins)
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

  // Of samples that were counted before, counts[b] of them in bin b: any number of bins.
  static range_counter of_counts(const context& where, std::span<const std::uint64_t> counts);
  // Enqueued.
  template <class C>
    requires is_device_span<C>
  static range_counter of_counts(const context& where, const C& counts) {
    return range_counter(where, device_span<const std::uint64_t>(counts));
  }

  std::uint64_t bins() const { return prefix_.size() - 1; }

  // Enqueued. A range that is none (first > last, or last > bins()) is the caller's error, found on the CPU and in
  // checked calls.
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
  buffer<std::uint64_t> prefix_;  // prefix_[b] samples lie below bin b
};

}  // namespace upsweep

#include "upsweep/histogram/made.hpp"  // last: samples and weights that are no memory
