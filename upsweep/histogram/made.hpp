// Histograms of samples, or with weights, that are no memory: each is read where it is counted, and weights once more
// before, for their largest.
#pragma once

#include <algorithm>
#include <vector>

#include "upsweep/core/making.hpp"
#include "upsweep/for_each/opencl/made.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/histogram/cpu/rules.hpp"
#include "upsweep/histogram/weights.hpp"
#include "upsweep/inputs.hpp"
#if defined(__CUDACC__)
#include "upsweep/histogram/cuda/made.cuh"
#endif

namespace upsweep {

namespace core {

// One of the inputs at least is no memory; none lies on another side than the output.
template <class Y, class... X>
concept made_for = operands<Y> && (readable_input<X> && ...) && !(in_memory<X> && ...) &&
                   ((home_of<X> == home::anywhere || home_of<X> == home_of<Y>) && ...);

}  // namespace core

namespace histogram_room {

// Calls body(worker, first, last) for pieces that make up [0, n), one for each worker.
template <class Body>
void for_each_share(device& d, std::uint64_t n, std::uint64_t workers, const Body& body) {
  cpu::for_each_block(d, workers, [&](std::uint64_t w, const cpu::stop_flag&) {
    const std::uint64_t each = n / workers, more = n % workers;
    const std::uint64_t first = w * each + std::min(w, more);
    body(w, first, first + each + (w < more));
  });
}

// What count(table, first, last) adds to tables of `counters`, a worker's own, added up.
template <class Sum, class Count>
std::vector<Sum> counted_in_tables(device& d, std::uint64_t n, std::uint64_t counters, const Count& count) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30, least = 1 << 14;
  const std::uint64_t most = std::min<std::uint64_t>(cpu::threads_of(d), most_bytes / (counters * sizeof(Sum)));
  const std::uint64_t workers = std::clamp<std::uint64_t>(n / least, 1, std::max<std::uint64_t>(most, 1));
  std::vector<std::vector<Sum>> tables(workers);
  histogram_room::for_each_share(d, n, workers, [&](std::uint64_t w, std::uint64_t first, std::uint64_t last) {
    tables[w].resize(counters);
    count(tables[w].data(), first, last);
  });
  for (std::uint64_t w = 1; w < workers; ++w)
    for (std::uint64_t c = 0; c < counters; ++c) tables[0][c] += tables[w][c];
  return std::move(tables[0]);
}

// Calls add(table, counter, i) for the samples of [first, last) that lie in a bin.
template <class At, class Bins, class Add>
void for_each_in_bins(const At& at, std::uint64_t first, std::uint64_t last, const Bins& bins, const problem& p,
                      const Add& add) {
  std::uint64_t channel = first % p.channels;
  for (std::uint64_t i = first; i < last; ++i) {
    if (const std::uint32_t b = bins(at(i)); b != no_bin) add(channel * p.m + b, i);
    channel = channel + 1 < p.channels ? channel + 1 : 0;
  }
}

template <class At, class Bins>
void count_made(device& d, const At& at, const Bins& bins, const problem& p, std::uint64_t* out) {
  const auto counts = histogram_room::counted_in_tables<std::uint64_t>(
      d, p.n, p.m * p.channels, [&](std::uint64_t* table, std::uint64_t first, std::uint64_t last) {
        histogram_room::for_each_in_bins(at, first, last, bins, p, [&](std::uint64_t c, std::uint64_t) { ++table[c]; });
      });
  std::copy(counts.begin(), counts.end(), out);
}

template <class At, class W, class Bins>
void add_made(device& d, const At& at, const W& weights, const Bins& bins, const problem& p, double* out) {
  const std::uint64_t workers =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(cpu::threads_of(d)), p.n / (std::uint64_t{1} << 14) + 1);
  std::vector<std::uint32_t> largest(workers);
  histogram_room::for_each_share(d, p.n, workers, [&](std::uint64_t w, std::uint64_t first, std::uint64_t last) {
    std::uint32_t most = 0;
    for (std::uint64_t i = first; i < last; ++i) most = std::max(most, weight_magnitude(weights(i)));
    largest[w] = most;
  });
  const weight_scale scale(*std::max_element(largest.begin(), largest.end()), p.n);
  if (!scale.finite) return void(std::fill_n(out, p.m * p.channels, scale.sum(0)));
  const auto sums = histogram_room::counted_in_tables<std::int64_t>(
      d, p.n, p.m * p.channels, [&](std::int64_t* table, std::uint64_t first, std::uint64_t last) {
        histogram_room::for_each_in_bins(
            at, first, last, bins, p, [&](std::uint64_t c, std::uint64_t i) { table[c] += scale.fixed(weights(i)); });
      });
  std::transform(sums.begin(), sums.end(), out, [&](std::int64_t sum) { return scale.sum(sum); });
}

// What lies in memory, or comes to lie there by the texts of what makes it: on OpenCL, and on CUDA where nvcc compiles
// nothing of it, it is stored before it is counted.
template <class X>
constexpr bool in_memory_by_text() {
  if constexpr (is_made<std::remove_cvref_t<X>>)
    return opencl::has_made_text<std::remove_cvref_t<decltype(std::declval<const X&>().at())>>;
  else
    return in_memory<X>;
}
// Enqueued.
template <class X>
memory stored(const context& where, const char* call, const char* scratch, const X& x) {
  if constexpr (in_memory<X>) {
    return core::read_operand(x).where();
  } else {
    using T = value_of<X>;
    const std::uint64_t n = x.size();
    const memory to = where.dev().scratch(scratch, std::max<std::uint64_t>(n * sizeof(T), 16));
    core::store_by_text<T>(where, call, x.at(), n, to);
    return to;
  }
}

// `p` says all but n and the edges; W is no_element where nothing is weighted.
template <class T, class By, class X, class W, class Out>
void count_made_into(const char* name, const context& where, problem p, const X& samples, operand<const T> edges,
                     const W& weights, operand<Out> out) {
  constexpr bool weighted = !std::same_as<W, no_element>;
  static_assert(std::same_as<Out, std::conditional_t<weighted, double, std::uint64_t>>,
                "upsweep: counts are std::uint64_t, sums of weights double");
  p.n = core::elements_in(samples), p.in3 = edges.where();
  const auto memory_of_samples = [&]() -> operand<const T> {
    if constexpr (in_memory<X>) return core::read_operand(samples);
    return {};
  }();
  operand<const float> memory_of_weights;
  if constexpr (weighted) {
    static_assert(std::same_as<value_of<W>, float>, "upsweep: weights are floats");
    require_same_size(name, "the samples have # elements and the weights #", p.n, core::elements_in(weights));
    if constexpr (in_memory<W>) memory_of_weights = core::read_operand(weights);
  }
  require_apart(name, where,
                {{"the samples", memory_of_samples},
                 {"the edges", edges},
                 {"the weights", memory_of_weights},
                 {"the output", out}});
  if (where.kind() != backend::cpu) {
#if defined(__CUDACC__)
    if (where.kind() == backend::cuda) {
      with_bins<T>(p, [&](const auto& bins) {
        if constexpr (weighted)
          cuda::add_made(where.dev(), core::reading(samples), core::reading(weights), bins, p, out.data());
        else
          cuda::count_made(where.dev(), core::reading(samples), bins, p, out.data());
      });
      return;
    }
#endif
    if constexpr (in_memory_by_text<X>() && (!weighted || in_memory_by_text<W>())) {
      p.in = histogram_room::stored(where, name, "histogram/samples by a text", samples);
      p.out = out.where();
      if constexpr (weighted) p.in2 = histogram_room::stored(where, name, "histogram/weights by a text", weights);
      return histogram_room::run(where, p);
    }
    throw made_elsewhere(name, where.kind());
  }
  with_bins<T>(p, [&](const auto& bins) {
    if constexpr (weighted)
      histogram_room::add_made(where.dev(), core::reading(samples), core::reading(weights), bins, p, out.data());
    else
      histogram_room::count_made(where.dev(), core::reading(samples), bins, p, out.data());
  });
}

// What host memory is counted in is the CPU's.
template <class Y>
context counted_by(const context& asked) {
  return home_of<Y> == home::device || asked.kind() == backend::cpu ? asked : context::cpu();
}

}  // namespace histogram_room

inline namespace UPSWEEP_COMPILED {

template <class X, class C, class By = this_compiler>
  requires core::made_for<C, X>
void histogram(const context& asked, const X& samples, C&& counts,
               std::type_identity_t<bin_bound<core::value_of<X>>> lower,
               std::type_identity_t<bin_bound<core::value_of<X>>> upper, std::uint32_t channels = 1) {
  using T = core::value_of<X>;
  const context where = histogram_room::counted_by<C>(asked);
  const auto out = core::written_operand(counts);
  auto p = histogram_room::counting<T>("histogram", out.size(), channels);
  histogram_room::set_bounds<T>("histogram", p, lower, upper);
  histogram_room::count_made_into<T, By>("histogram", where, p, samples, core::operand<const T>(), core::no_element{},
                                         out);
}

template <class X, class E, class C, class By = this_compiler>
  requires core::made_for<C, X> && operands<E, C>
void histogram(const context& asked, const X& samples, const E& edges, C&& counts, std::uint32_t channels = 1) {
  using T = core::value_of<X>;
  const context where = histogram_room::counted_by<C>(asked);
  const auto out = core::written_operand(counts);
  auto p = histogram_room::counting<T>("histogram", out.size(), channels);
  const core::operand<const T> bounds = core::read_operand(edges);
  histogram_room::set_edges<T>("histogram", where, p, bounds);
  histogram_room::count_made_into<T, By>("histogram", where, p, samples, bounds, core::no_element{}, out);
}

template <class X, class W, class S, class By = this_compiler>
  requires core::made_for<S, X, W>
void weighted_histogram(const context& asked, const X& samples, const W& weights, S&& sums,
                        std::type_identity_t<bin_bound<core::value_of<X>>> lower,
                        std::type_identity_t<bin_bound<core::value_of<X>>> upper, std::uint32_t channels = 1) {
  using T = core::value_of<X>;
  const char* const call = "weighted_histogram";
  const context where = histogram_room::counted_by<S>(asked);
  const auto out = core::written_operand(sums);
  auto p = histogram_room::counting<T>(call, out.size(), channels);
  p.weighted = true;
  histogram_room::set_bounds<T>(call, p, lower, upper);
  histogram_room::count_made_into<T, By>(call, where, p, samples, core::operand<const T>(), weights, out);
}

template <class X, class W, class E, class S, class By = this_compiler>
  requires core::made_for<S, X, W> && operands<E, S>
void weighted_histogram(const context& asked, const X& samples, const W& weights, const E& edges, S&& sums,
                        std::uint32_t channels = 1) {
  using T = core::value_of<X>;
  const char* const call = "weighted_histogram";
  const context where = histogram_room::counted_by<S>(asked);
  const auto out = core::written_operand(sums);
  auto p = histogram_room::counting<T>(call, out.size(), channels);
  p.weighted = true;
  const core::operand<const T> bounds = core::read_operand(edges);
  histogram_room::set_edges<T>(call, where, p, bounds);
  histogram_room::count_made_into<T, By>(call, where, p, samples, bounds, weights, out);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
