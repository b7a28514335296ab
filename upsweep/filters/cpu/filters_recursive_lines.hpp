// The recursive Gaussian along sixteen lines at once, by SIMD. The instruction set is chosen at run time, once.
#pragma once

#include <cstdint>

#include "upsweep/filters/filters_recursion.hpp"

namespace upsweep::detail::filters_impl {

inline constexpr std::uint64_t recursive_lines = 16;

// y = the result of x, both n times sixteen floats, interleaved by line; y must not be x.
void run_recursion(const recursion&, const float* x, float* y, std::uint64_t n);

}  // namespace upsweep::detail::filters_impl
