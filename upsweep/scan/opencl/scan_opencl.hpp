// scan on OpenCL with a user-defined type, operator or transform. upsweep/jit/jit.hpp says how to provide
// their device source.
#pragma once

#include "upsweep/jit/jit.hpp"

namespace upsweep::opencl {

// Enqueued: the scan of f(in[i]) after init; `out` may be `in`. The first call for an operator compiles its kernels.
template <bool Inclusive, class T, class Op, class F>
void scan_custom(upsweep::device& d, memory in, std::uint64_t n, memory out, T init, Op op, F f) {
  scan_custom(d, make_custom<T, Op, F>("scan", init, op, f), in, n, out, Inclusive);
}

}  // namespace upsweep::opencl
