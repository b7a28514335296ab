// reduce on OpenCL with a user-defined type, operator or transform. upsweep/jit/jit.hpp says how to provide
// their device source.
#pragma once

#include "upsweep/jit/jit.hpp"

namespace upsweep::opencl {

// Enqueued: out[0] = init ∘ f(in[0]) ∘ … ∘ f(in[n-1]). The first call for an operator compiles its kernel.
template <class T, class Op, class F>
void reduce_custom(upsweep::device& d, memory in, std::uint64_t n, memory out, T init, Op op, F f) {
  reduce_custom(d, make_custom<T, Op, F>("reduce", init, op, f), in, n, out);
}

}  // namespace upsweep::opencl
