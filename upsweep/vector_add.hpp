// vector_add: adds two sequences, out[i] = a[i] + b[i]. The simplest parallel algorithm: elements share no data and
// need no order. It is the first comparison of a GPU and a CPU.
//
//   upsweep::vector_add(gpu, x.span(), y.span(), sums.span());
//   upsweep::vector_add(cpu, a, b, a);                            // host memory, in place
//
// Requires     Three spans of the same size and type (i32 u32 i64 u64 f32 f64), all in device memory or all in host
//              memory. `out` may be exactly `a` or `b`, and overlaps neither otherwise.
// Work         Reads 2n elements and writes n. Integer sums wrap.
// Asynchrony   Calls on device spans are enqueued. Calls on host memory return after the work is done; for a GPU it is
//              streamed in chunks.
// Errors       upsweep::error: different sizes, overlap, f64 on a device without f64.
#pragma once

#include "upsweep/core/operands.hpp"
#include "upsweep/vector_add/vector_add_problem.hpp"

namespace upsweep {

template <class A, class B, class Y>
  requires operands<A, B, Y>
void vector_add(const context& where, const A& a, const B& b, Y&& out) {
  using T = element_of<Y>;
  static_assert(folding_type<T> && std::is_same_v<element_of<A>, T> && std::is_same_v<element_of<B>, T>,
                "upsweep: vector_add takes three spans of one type: i32, u32, i64, u64, f32 or f64");
  if constexpr (folding_type<T> && std::is_same_v<element_of<A>, T> && std::is_same_v<element_of<B>, T>) {
    const core::operand<const T> x = core::read_operand(a), y = core::read_operand(b);
    const core::operand<T> z = core::written_operand(out);
    core::require_same_size("vector_add", "the first span has # elements and the second #", x.size(), y.size());
    core::require_same_size("vector_add", "the inputs have # elements and the output #", x.size(), z.size());
    core::require_no_overlap("vector_add", where, {{"the first input", x}, {"the output", z}}, 1);
    core::require_no_overlap("vector_add", where, {{"the second input", y}, {"the output", z}}, 1);
    if (z.accessible_from(where))
      return detail::vector_add_impl::run(where, detail::vector_add_impl::make_problem(x, y, z));
    core::for_each_chunk(where.device(), z.size(), 3 * sizeof(T), [&](std::uint64_t first, std::uint64_t count) {
      const buffer<T> here(where, x.part(first, count).host()), there(where, y.part(first, count).host());
      buffer<T> sums(where, count);
      detail::vector_add_impl::run(where,
                                   detail::vector_add_impl::make_problem<T>(here.span(), there.span(), sums.span()));
      sums.download(z.part(first, count).host());
    });
  }
}

}  // namespace upsweep
