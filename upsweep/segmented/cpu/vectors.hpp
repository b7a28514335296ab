// Short runs scanned on one thread, by SIMD: whole numbers, and sums of f32. The instruction set is chosen at run time,
// once.
#pragma once

#include <cstdint>

#include "upsweep/operators.hpp"

namespace upsweep::cpu {

// Scans n elements, each run after *init and what precedes the first head after *carry, a carry_of<T, Op>; *carry is
// then the last element's inclusive value. Bit i of `heads`: whether element i begins a run; whole words are read.
// `out` may be `in`.
using runs_scan_kernel = void (*)(const void* in, std::uint64_t n, const std::uint64_t* heads, const void* init,
                                  void* out, void* carry);

// Null for other floats, and for operators that read elements as something else (logical_and) or do not commute.
runs_scan_kernel find_runs_scan(dtype type, op_kind op, bool inclusive);

}  // namespace upsweep::cpu
