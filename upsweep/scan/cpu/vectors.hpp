// A scan on one thread, by SIMD, for the built-in types and operators. The instruction set is chosen at run time, once.
#pragma once

#include <cstdint>

#include "upsweep/operators.hpp"

namespace upsweep::cpu {

// Scans n elements, already prepared, after *carry (a carry_of<T, Op>), which it leaves behind them. `out` may be `in`.
using scan_kernel = void (*)(const void* in, std::uint64_t n, void* out, void* carry);

// Null for compose_affine, which scans as a user's operator does.
scan_kernel find_scan(dtype type, op_kind op, bool inclusive);

}  // namespace upsweep::cpu
