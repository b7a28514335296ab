// Rows of a box filter on one thread, by SIMD: of elements of up to 16 bits whose boxes' sums fit 32, and of floats.
// The instruction set is chosen at run time, once.
#pragma once

#include "upsweep/integral/types.hpp"

namespace upsweep::integral_room {

template <class Part>
struct box_kernels {
  // sums[i] += come[i] - gone[i]; either may be null. Not for floats.
  void (*slide)(const void* come, const void* gone, std::uint64_t n, Part* sums) = nullptr;
  // to[i] = in[i]
  void (*lift)(const void* in, std::uint64_t n, Part* to) = nullptr;
  // to[i] = a[i] + b[i]. `to` may be `a`.
  void (*join)(const Part* a, const Part* b, std::uint64_t n, Part* to) = nullptr;
  // What the filter gives of sums over k elements each, to `out`.
  void (*finish)(const Part* sums, std::uint64_t n, std::uint64_t k, void* out) = nullptr;
};

// Without functions where there are none for these types.
box_kernels<std::uint32_t> find_narrow_box(box_result, dtype in, dtype out);
box_kernels<double> find_float_box(box_result, dtype in, dtype out);

}  // namespace upsweep::integral_room
