// vector_add: out[i] = a[i] + b[i], the first rung of all: nothing shared, nothing ordered.
//
// Requires three spans of one size; `out` may be `a` or `b` exactly. Reads 2n and writes n elements. Enqueued for
// device spans. Errors: sizes that differ. Integer sums wrap.
#pragma once

#include "upsweep/core/operands.hpp"
#include "upsweep/vector_add/problem.hpp"

namespace upsweep {

template <class A, class B, class Y>
  requires on_device<A, B, Y>
void vector_add(const context& where, const A& a, const B& b, Y&& out) {
  using T = element_of<Y>;
  static_assert(folding_type<T> && std::is_same_v<element_of<A>, T> && std::is_same_v<element_of<B>, T>,
                "upsweep: vector_add takes three spans of one type: i32, u32, i64, u64, f32 or f64");
  if constexpr (folding_type<T>) {
    const auto x = core::read_operand(a);
    const auto y = core::read_operand(b);
    const auto z = core::written_operand(out);
    core::require_same_size("vector_add", "the first span has # elements and the second #", x.size(), y.size());
    core::require_same_size("vector_add", "the inputs have # elements and the output #", x.size(), z.size());
    vector_add_room::problem p;
    p.type = dtype_of<T>;
    p.in = x.where(), p.in2 = y.where(), p.out = z.where();
    p.n = x.size();
    vector_add_room::run(where, p);
  }
}

}  // namespace upsweep
