// The recursive Gaussian along sixteen lines at once, by SIMD. The instruction set is chosen at run time, once.
#pragma once

#include <cstdint>

namespace upsweep::filters_room {

inline constexpr std::uint64_t recursive_lines = 16;

// Forward: f[i] = Σ ahead[k] · x[i - k] - Σ back[k] · f[i - 1 - k], k < 4; backward: b[i] = Σ behind[k] · x[i + 1 + k]
// - Σ back[k] · b[i + 1 + k]. The result is f + b; beyond the ends all is 0.
struct recursion {
  double ahead[4], behind[4], back[4];
};

// y = the result of x, both of n times sixteen floats, place by place; y is not x.
void run_recursion(const recursion&, const float* x, float* y, std::uint64_t n);

}  // namespace upsweep::filters_room
