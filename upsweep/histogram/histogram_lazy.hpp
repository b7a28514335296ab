// Histograms with lazy samples or weights: each sample is evaluated where it is counted, and each weight twice, since
// the largest of each bin is found first.
#pragma once

#include <algorithm>
#include <vector>

#include "upsweep/core/lazy_view.hpp"
#include "upsweep/for_each/jit/for_each_lazy.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/histogram/cpu/histogram_rules.hpp"
#include "upsweep/histogram/histogram_weights.hpp"
#include "upsweep/views.hpp"
#if defined(__CUDACC__)
#include "upsweep/histogram/cuda/histogram_cuda_lazy.cuh"
#endif

namespace upsweep {

namespace core {

// At least one input is a lazy view; none is in another memory space than the output.
template <class Y, class... X>
concept made_for = operands<Y> && (readable_input<X> && ...) && !(in_memory<X> && ...) &&
                   ((memory_space_of<X> == memory_space::any || memory_space_of<X> == memory_space_of<Y>) && ...);

}  // namespace core

namespace detail::histogram_impl {

// Calls body(worker, first, last) for pieces that make up [0, n), one for each worker.
template <class Body>
void for_each_share(device& d, std::uint64_t n, std::uint64_t workers, const Body& body) {
  cpu::for_each_block(d, workers, [&](std::uint64_t w, const cpu::stop_flag&) {
    const std::uint64_t each = n / workers, more = n % workers;
    const std::uint64_t first = w * each + (std::min)(w, more);
    body(w, first, first + each + (w < more));
  });
}

// Calls count(table, first, last), which adds to a worker's own table of `counters`, for all samples; returns the
// merged tables.
template <class Sum, class Merge, class Count>
std::vector<Sum> counted_in_tables(device& d, std::uint64_t n, std::uint64_t counters, const Merge& merge,
                                   const Count& count) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30, least = 1 << 14;
  const std::uint64_t most = std::min<std::uint64_t>(cpu::threads_of(d), most_bytes / (counters * sizeof(Sum)));
  const std::uint64_t workers = std::clamp<std::uint64_t>(n / least, 1, std::max<std::uint64_t>(most, 1));
  std::vector<std::vector<Sum>> tables(workers);
  detail::histogram_impl::for_each_share(d, n, workers, [&](std::uint64_t w, std::uint64_t first, std::uint64_t last) {
    tables[w].resize(counters);
    count(tables[w].data(), first, last);
  });
  for (std::uint64_t w = 1; w < workers; ++w)
    for (std::uint64_t c = 0; c < counters; ++c) tables[0][c] = merge(tables[0][c], tables[w][c]);
  return std::move(tables[0]);
}

// Calls add(counter, i) for the samples of [first, last) that are in a bin.
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
  const auto counts = detail::histogram_impl::counted_in_tables<std::uint64_t>(
      d, p.n, p.m * p.channels, [](std::uint64_t a, std::uint64_t b) { return a + b; },
      [&](std::uint64_t* table, std::uint64_t first, std::uint64_t last) {
        detail::histogram_impl::for_each_in_bins(at, first, last, bins, p,
                                                 [&](std::uint64_t c, std::uint64_t) { ++table[c]; });
      });
  std::copy(counts.begin(), counts.end(), out);
}

template <class At, class W, class Bins>
void add_made(device& d, const At& at, const W& weights, const Bins& bins, const problem& p, double* out) {
  const std::uint64_t counters = p.m * p.channels;
  const int bits_of_n = bits_of_count(p.n);
  const auto exponents = detail::histogram_impl::counted_in_tables<std::uint32_t>(
      d, p.n, counters, [](std::uint32_t a, std::uint32_t b) { return (std::max)(a, b); },
      [&](std::uint32_t* table, std::uint64_t first, std::uint64_t last) {
        detail::histogram_impl::for_each_in_bins(at, first, last, bins, p, [&](std::uint64_t c, std::uint64_t i) {
          table[c] = (std::max)(table[c], parts_of(weights(i)).exponent);
        });
      });
  const auto sums = detail::histogram_impl::counted_in_tables<fixed_point>(
      d, p.n, counters, [](fixed_point a, fixed_point b) { return added(a, b); },
      [&](fixed_point* table, std::uint64_t first, std::uint64_t last) {
        detail::histogram_impl::for_each_in_bins(at, first, last, bins, p, [&](std::uint64_t c, std::uint64_t i) {
          const weight_parts w = parts_of(weights(i));
          const fixed_point x = fixed_of(w, exponents[c], bits_of_n);
          table[c] = is_subtracted(w, exponents[c]) ? difference(table[c], x) : added(table[c], x);
        });
      });
  for (std::uint64_t c = 0; c < counters; ++c) out[c] = to_double(sums[c], exponents[c], bits_of_n);
}

// Inputs in memory, and lazy views with device source: on OpenCL, and on CUDA where nvcc does not compile the view,
// they are materialized before they are counted.
template <class X>
constexpr bool in_memory_jit() {
  if constexpr (is_lazy_view<std::remove_cvref_t<X>>)
    return opencl::has_view_source<std::remove_cvref_t<decltype(std::declval<const X&>().at())>>;
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
    const memory to = where.device().scratch(scratch, std::max<std::uint64_t>(n * sizeof(T), 16));
    core::store_jit<T>(where, call, x.at(), n, to);
    return to;
  }
}

template <class W>
struct weight_type_in {
  using type = value_of<W>;
};
template <>
struct weight_type_in<no_element> {
  using type = float;
};
template <class W>
using weight_in = typename weight_type_in<W>::type;

// `p` is complete except for n and the edges; W is no_element for an unweighted histogram.
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
  // The type of an absent operand does not matter.
  operand<const weight_in<W>> memory_of_weights;
  if constexpr (weighted) {
    static_assert(std::same_as<value_of<W>, float> || std::same_as<value_of<W>, double>,
                  "upsweep: weights are floats or doubles");
    p.weight_type = dtype_of<value_of<W>>;
    require_same_size(name, "the samples have # elements and the weights #", p.n, core::elements_in(weights));
    if constexpr (in_memory<W>) memory_of_weights = core::read_operand(weights);
  }
  require_no_overlap(name, where,
                     {{"the samples", memory_of_samples},
                      {"the edges", edges},
                      {"the weights", memory_of_weights},
                      {"the output", out}});
  if (where.kind() != backend::cpu) {
#if defined(__CUDACC__)
    if constexpr (!core::is_only_source_view<X> && !core::is_only_source_view<W>)
      if (where.kind() == backend::cuda) {
        with_bins<T>(p, [&](const auto& bins) {
          if constexpr (weighted)
            cuda::add_made(where.device(), core::reading(where.device(), name, samples),
                           core::reading(where.device(), name, weights), bins, p, out.data());
          else
            cuda::count_made(where.device(), core::reading(where.device(), name, samples), bins, p, out.data());
        });
        return;
      }
#endif
    if constexpr (in_memory_jit<X>() && (!weighted || in_memory_jit<W>())) {
      p.in = detail::histogram_impl::stored(where, name, "histogram/samples, materialized", samples);
      p.out = out.where();
      if constexpr (weighted)
        p.in2 = detail::histogram_impl::stored(where, name, "histogram/weights, materialized", weights);
      return detail::histogram_impl::run(where, p);
    }
    core::throw_error(made_elsewhere(name, where.kind()));
  }
  with_bins<T>(p, [&](const auto& bins) {
    if constexpr (weighted)
      detail::histogram_impl::add_made(where.device(), core::reading(where.device(), name, samples),
                                       core::reading(where.device(), name, weights), bins, p, out.data());
    else
      detail::histogram_impl::count_made(where.device(), core::reading(where.device(), name, samples), bins, p,
                                         out.data());
  });
}

// Host memory is always counted by the CPU.
template <class Y>
context counted_by(const context& asked) {
  return memory_space_of<Y> == memory_space::device || asked.kind() == backend::cpu ? asked : context::cpu();
}

}  // namespace detail::histogram_impl

inline namespace UPSWEEP_COMPILED {

template <class X, class C, class L, class U, class By = this_compiler>
  requires core::made_for<C, X> && bin_bound_for<L, core::value_of<X>> && bin_bound_for<U, core::value_of<X>>
void histogram(const context& asked, const X& samples, C&& counts, const L& lower, const U& upper,
               std::uint32_t channels = 1) {
  using T = core::value_of<X>;
  const context where = detail::histogram_impl::counted_by<C>(asked);
  const auto out = core::written_operand(counts);
  auto p = detail::histogram_impl::make_problem<T>("histogram", out.size(), channels);
  detail::histogram_impl::set_bounds_from<T>("histogram", p, lower, upper);
  detail::histogram_impl::count_made_into<T, By>("histogram", where, p, samples, core::operand<const T>(),
                                                 core::no_element{}, out);
}

template <class X, class E, class C, class By = this_compiler>
  requires core::made_for<C, X> && operands<E, C>
void histogram(const context& asked, const X& samples, const E& edges, C&& counts, std::uint32_t channels = 1) {
  using T = core::value_of<X>;
  const context where = detail::histogram_impl::counted_by<C>(asked);
  const auto out = core::written_operand(counts);
  auto p = detail::histogram_impl::make_problem<T>("histogram", out.size(), channels);
  const core::operand<const T> bounds = core::read_operand(edges);
  detail::histogram_impl::set_edges<T>("histogram", where, p, bounds);
  detail::histogram_impl::count_made_into<T, By>("histogram", where, p, samples, bounds, core::no_element{}, out);
}

template <class X, class W, class S, class L, class U, class By = this_compiler>
  requires core::made_for<S, X, W> && bin_bound_for<L, core::value_of<X>> && bin_bound_for<U, core::value_of<X>>
void weighted_histogram(const context& asked, const X& samples, const W& weights, S&& sums, const L& lower,
                        const U& upper, std::uint32_t channels = 1) {
  using T = core::value_of<X>;
  const char* const call = "weighted_histogram";
  const context where = detail::histogram_impl::counted_by<S>(asked);
  const auto out = core::written_operand(sums);
  auto p = detail::histogram_impl::make_problem<T>(call, out.size(), channels);
  p.weighted = true;
  detail::histogram_impl::set_bounds_from<T>(call, p, lower, upper);
  detail::histogram_impl::count_made_into<T, By>(call, where, p, samples, core::operand<const T>(), weights, out);
}

template <class X, class W, class E, class S, class By = this_compiler>
  requires core::made_for<S, X, W> && operands<E, S>
void weighted_histogram(const context& asked, const X& samples, const W& weights, const E& edges, S&& sums,
                        std::uint32_t channels = 1) {
  using T = core::value_of<X>;
  const char* const call = "weighted_histogram";
  const context where = detail::histogram_impl::counted_by<S>(asked);
  const auto out = core::written_operand(sums);
  auto p = detail::histogram_impl::make_problem<T>(call, out.size(), channels);
  p.weighted = true;
  const core::operand<const T> bounds = core::read_operand(edges);
  detail::histogram_impl::set_edges<T>(call, where, p, bounds);
  detail::histogram_impl::count_made_into<T, By>(call, where, p, samples, bounds, weights, out);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
