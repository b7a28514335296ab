// The recursive Gaussian along sixteen lines at once, by SIMD. The instruction set is chosen at run time, once.
#pragma once

#include <cstdint>

#include "upsweep/filters/recursion.hpp"

namespace upsweep::filters_room {

inline constexpr std::uint64_t recursive_lines = 16;

// y = the result of x, both of n times sixteen floats, place by place; y is not x.
void run_recursion(const recursion&, const float* x, float* y, std::uint64_t n);

}  // namespace upsweep::filters_room
