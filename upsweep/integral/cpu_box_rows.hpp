// Rows of a box filter on one thread, by SIMD, for elements of up to 16 bits whose boxes' sums fit 32. The instruction set is chosen
// at run time, once.
#pragma once

#include "upsweep/integral/types.hpp"

namespace upsweep::integral_room {

struct box_kernels {
  // sums[i] += come[i] - gone[i]; either may be null.
  void (*slide)(const void* come, const void* gone, std::uint64_t n, std::uint32_t* sums) = nullptr;
  // to[i] = a[i] + b[i]. `to` may be `a`.
  void (*join)(const std::uint32_t* a, const std::uint32_t* b, std::uint64_t n, std::uint32_t* to) = nullptr;
  // What the filter gives of sums over k elements each, to `out`.
  void (*finish)(const std::uint32_t* sums, std::uint64_t n, std::uint64_t k, void* out) = nullptr;
};

// Without functions where there are none for these types.
box_kernels find_box_kernels(box_result, dtype in, dtype out);

}  // namespace upsweep::integral_room
