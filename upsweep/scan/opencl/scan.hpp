// scan on OpenCL with a type, operator or transform of your own: upsweep/opencl/custom.hpp says how to give their C
// text.
#pragma once

#include "upsweep/opencl/custom.hpp"

namespace upsweep::opencl {

// Enqueued: the scan of f(in[i]) seeded with init; `out` may be `in`. The first call for an operator compiles its
// kernels.
template <bool Inclusive, class T, class Op, class F>
void scan_custom(upsweep::device& d, memory in, std::uint64_t n, memory out, T init, Op op, F f) {
  scan_custom(d, make_custom<T, Op, F>("scan", init, op, f), in, n, out, Inclusive);
}

}  // namespace upsweep::opencl
