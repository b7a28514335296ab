// vector_add: out[i] = a[i] + b[i], the first rung of all: nothing shared, nothing ordered.
//
// Requires three spans of one size; `out` may be `a` or `b` exactly. Reads 2n and writes n elements. Enqueued for
// device spans. Errors: sizes that differ. Integer sums wrap.
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/vector_add/problem.hpp"

namespace upsweep {

template <folding_type T>
void vector_add(const context& where, device_span<const T> a, device_span<const T> b, device_span<T> out) {
  if (a.size() != b.size() || a.size() != out.size())
    throw error(fault::bad_argument, "vector_add", "the three spans differ in size", "give all of them the same size");
  vector_add_room::problem p;
  p.type = dtype_of<T>;
  p.in = a.where();
  p.in2 = b.where();
  p.out = out.where();
  p.n = a.size();
  vector_add_room::run(where, p);
}

}  // namespace upsweep
