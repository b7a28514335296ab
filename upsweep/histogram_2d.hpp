// histogram_2d, histogram_nd: the number of pairs, or of rows of any number of samples, in each bin of a grid, as
// numpy.histogram2d and histogramdd.
//
//   upsweep::histogram_2d(cpu, u, v, cells, upsweep::even_bins(-1.0f, 1.0f, 64), upsweep::even_bins(0.0f, 10.0f, 100));
//   upsweep::histogram_2d(gpu, x.span(), y.span(), counts.span(), x_edges.span(), upsweep::even_bins(0, 256, 256));
//   upsweep::histogram_nd(cpu, cubes, upsweep::grid_axis(r, upsweep::even_bins(0, 256, 16)),
//                         upsweep::grid_axis(g, edges), upsweep::grid_axis(b, upsweep::even_bins(0, 256, 16)));
//
// Result       counts[b_x·columns + b_y] = the number of i with x[i] in bin b_x of the first axis and y[i] in bin b_y
//              of the second axis, which has `columns` bins: the last axis varies fastest. A row with a sample in no
//              bin of its axis is not counted. even_bins(lower, upper, bins): `bins` bins of equal width over [lower,
//              upper). Edges: bin b is [edges[b], edges[b + 1]), also for the last bin. histogram.hpp defines the bin
//              of a sample.
// Requires     Equally many samples on all axes, of any built-in type; increasing edges of the samples' type;
//              counts u64, one for each of the 1 to 2^24 bins of the grid. Outputs do not overlap inputs.
// Work         A search for a bin for each sample, and a histogram of u32.
// Scratch      Four bytes a row, owned by the context.
// Determinism  Results are bitwise equal on every device.
// Asynchrony   Device spans: enqueued. Host memory: done on return; the CPU does the work whatever the context.
// Errors       upsweep::error: sizes that differ, errors of histogram for bins, bounds and edges, overlap; device
//              memory on OpenCL, and on CUDA where nvcc does not compile the call.
#pragma once

#include <array>

#include "upsweep/grouped/grouped_scratch.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {

// Even bins over [lower, upper). Each bound keeps its type and its value.
template <class L, class U = L>
struct even_range {
  L lower;
  U upper;
  std::uint64_t bins;
};
template <class L, class U>
even_range<L, U> even_bins(L lower, U upper, std::uint64_t bins) {
  return {lower, upper, bins};
}

namespace detail::histogram_impl {

template <class X>
inline constexpr bool is_even_range = false;
template <class L, class U>
inline constexpr bool is_even_range<even_range<L, U>> = true;

// The samples of one axis and their bins.
template <class X, class Bins>
struct axis_of {
  const X& samples;
  const Bins& bins;

  using sample = element_of<X>;
  std::uint64_t count() const {
    if constexpr (is_even_range<Bins>) {
      return bins.bins;
    } else {
      const std::uint64_t edges = core::read_operand(bins).size();
      return edges == 0 ? 0 : edges - 1;
    }
  }
};

// The index of a row's bin in the grid, with the last axis fastest; no_bin if a sample is in no bin of its axis.
struct no_more_axes {
  UPSWEEP_HD std::uint32_t after(std::uint64_t, std::uint32_t before) const { return before; }
};
template <class At, class Bins, class Rest>
struct grid_bin {
  At at;
  Bins bins;
  std::uint32_t count;
  Rest rest;
  UPSWEEP_HD std::uint32_t after(std::uint64_t i, std::uint32_t before) const {
    const std::uint32_t b = bins(at(i));
    return b == no_bin ? no_bin : rest.after(i, before * count + b);
  }
};
template <class Grid>
struct bin_of_row {
  Grid grid;
  UPSWEEP_HD std::uint32_t operator()(std::uint64_t i) const { return grid.after(i, 0); }
};

// Checks bounds and edges as histogram does.
template <class X, class Bins>
auto checked_bins(const char* call, const context& where, const axis_of<X, Bins>& a) {
  using T = element_of<X>;
  auto p = detail::histogram_impl::make_problem<T>(call, a.count(), 1);
  if constexpr (is_even_range<Bins>) {
    const bound_of<T> lower = detail::histogram_impl::bound_from<T>(call, a.bins.lower),
                      upper = detail::histogram_impl::bound_from<T>(call, a.bins.upper);
    detail::histogram_impl::set_bounds<T>(call, p, lower, upper);
    return even_bins<T>::of(lower, upper, a.count());
  } else {
    static_assert(std::is_same_v<element_of<Bins>, T>, "upsweep: the edges must have the type of the samples");
    const auto edges = core::read_operand(a.bins);
    detail::histogram_impl::set_edges<T>(call, where, p, edges);
    return edge_bins<T>{edges.data(), static_cast<std::uint32_t>(a.count())};
  }
}

inline no_more_axes grid_of(const char*, const context&) { return {}; }
template <class First, class... Rest>
auto grid_of(const char* call, const context& where, const First& a, const Rest&... more) {
  const auto at = core::reading(where.device(), call, a.samples);
  const auto bins = detail::histogram_impl::checked_bins(call, where, a);
  const auto rest = detail::histogram_impl::grid_of(call, where, more...);
  using grid = grid_bin<std::remove_const_t<decltype(at)>, std::remove_const_t<decltype(bins)>,
                        std::remove_const_t<decltype(rest)>>;
  return grid{at, bins, static_cast<std::uint32_t>(a.count()), rest};
}

inline error needs_functions(const char* call, backend b) {
  if (b == backend::opencl)
    return {fault::unsupported, call, "samples in device memory are supported on the CPU and on CUDA, not on OpenCL",
            "use a CPU or a CUDA context, or give host memory"};
  return {fault::unsupported, call, "samples in device memory are supported on CUDA only where nvcc compiles the call",
          "move the call into a .cu file"};
}

inline namespace UPSWEEP_COMPILED {

template <class By, class C, class... Axes>
void count_grid(const char* call, const context& asked, C& counts, const Axes&... axes) {
  const context where = detail::grouped_impl::worked_on_by<C>(asked);
#if defined(__CUDACC__)
  constexpr bool compiled = true;
#else
  constexpr bool compiled = false;
#endif
  if (where.kind() == backend::opencl || (where.kind() == backend::cuda && !compiled))
    core::throw_error(detail::histogram_impl::needs_functions(call, where.kind()));
  const std::uint64_t n = (std::min)({core::read_operand(axes.samples).size()...});
  const device_span<std::uint64_t> out = detail::grouped_impl::written_span(counts);
  const auto look_at = [&](const auto& axis) {
    core::require_same_size(call, "an axis has # samples and another #", core::read_operand(axis.samples).size(), n);
    core::require_no_overlap(
        call, where,
        {{"the samples", core::read_operand(axis.samples)}, {"the counts", core::operand<std::uint64_t>(out)}});
    if constexpr (!is_even_range<std::remove_cvref_t<decltype(axis.bins)>>)
      core::require_no_overlap(
          call, where,
          {{"the edges", core::read_operand(axis.bins)}, {"the counts", core::operand<std::uint64_t>(out)}});
  };
  (look_at(axes), ...);
  const auto grid = detail::histogram_impl::grid_of(call, where, axes...);
  std::uint64_t bins = 1;
  for (const std::uint64_t count : {axes.count()...})
    if (bins <= most_bins) bins *= count;
  core::require_same_size(call, "the grid has # bins and there are # counts", bins, out.size());
  const auto bin_indices = detail::grouped_impl::scratch_of<std::uint32_t>(where, "histogram/bin indices", n);
  upsweep::tabulate(where, bin_indices, bin_of_row<std::remove_const_t<decltype(grid)>>{grid});
  upsweep::histogram(where, bin_indices, out, 0, static_cast<std::int64_t>(bins));
}

}  // namespace UPSWEEP_COMPILED
}  // namespace detail::histogram_impl

inline namespace UPSWEEP_COMPILED {

// An axis of histogram_nd: samples, and even_bins(…) or edges. It holds references, so both must outlive it.
template <class X, class Bins>
  requires operands<X> && (detail::histogram_impl::is_even_range<Bins> || operands<X, Bins>)
detail::histogram_impl::axis_of<X, Bins> grid_axis(const X& samples, const Bins& bins) {
  return {samples, bins};
}

template <class C, class... X, class... Bins, class By = this_compiler>
  requires operands<C, X...> && (sizeof...(X) > 0)
void histogram_nd(const context& where, C&& counts, const detail::histogram_impl::axis_of<X, Bins>&... axes) {
  detail::histogram_impl::count_grid<By>("histogram_nd", where, counts, axes...);
}

template <class X, class Y, class C, class XBins, class YBins, class By = this_compiler>
  requires operands<X, Y, C>
void histogram_2d(const context& where, const X& x, const Y& y, C&& counts, const XBins& x_bins, const YBins& y_bins) {
  detail::histogram_impl::count_grid<By>("histogram_2d", where, counts, upsweep::grid_axis(x, x_bins),
                                         upsweep::grid_axis(y, y_bins));
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
