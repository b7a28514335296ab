// Scans short runs on one thread, by SIMD: integers, and sums of f32. The instruction set is chosen at run time,
// once.
#pragma once

#include <cstdint>

#include "upsweep/operators.hpp"

namespace upsweep::cpu {

// Scans n elements, each run after *init, and the elements before the first head after *carry, a carry_of<T, Op>;
// *carry becomes the last element's inclusive value. Bit i of `heads`: whether element i begins a run; whole words
// are read. `out` may be `in`. If `results` are folds, `out` holds inclusive values in the type of carries,
// carry_of<T, Op>.
enum class run_results : std::uint8_t { exclusive, inclusive, folds };
using runs_scan_kernel = void (*)(const void* in, std::uint64_t n, const std::uint64_t* heads, const void* init,
                                  void* out, void* carry);

// Null for other floats, and for operators that convert elements when reading them (logical_and) or do not commute.
runs_scan_kernel find_runs_scan(dtype type, op_kind op, run_results results);

}  // namespace upsweep::cpu
