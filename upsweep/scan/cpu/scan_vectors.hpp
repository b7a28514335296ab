// A scan on one thread, by SIMD, for the built-in types and operators. The instruction set is chosen once, at run time.
#pragma once

#include <cstdint>

#include "upsweep/operators.hpp"

namespace upsweep::cpu {

// Scans n elements, which are already prepared, after *carry (a carry_of<T, Op>), and stores the carry after them
// there. `out` may be `in`.
using scan_kernel = void (*)(const void* in, std::uint64_t n, void* out, void* carry);

// Null for compose_affine, which is scanned like a user-defined operator.
scan_kernel find_scan(dtype type, op_kind op, bool inclusive);

}  // namespace upsweep::cpu
