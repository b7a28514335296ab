// Rows of a box filter on one thread, by SIMD: of elements of up to 16 bits whose boxes' sums fit 32, and of floats.
// The instruction set is chosen at run time, once.
#pragma once

#include "upsweep/summed_area_table/summed_area_table_types.hpp"

namespace upsweep::detail::summed_area_table_impl {

template <class Part>
struct box_kernels {
  // sums[i] += come[i] - gone[i]; either pointer may be null. Not for floats.
  void (*slide)(const void* come, const void* gone, std::uint64_t n, Part* sums) = nullptr;
  // to[i] = in[i]
  void (*to_accumulator)(const void* in, std::uint64_t n, Part* to) = nullptr;
  // to[i] = a[i] + b[i]. `to` may be `a`.
  void (*join)(const Part* a, const Part* b, std::uint64_t n, Part* to) = nullptr;
  // Writes the results of the filter to `out`: sums[i] is over k elements.
  void (*finish)(const Part* sums, std::uint64_t n, std::uint64_t k, void* out) = nullptr;
};

// Without functions where there are none for these types.
box_kernels<std::uint32_t> find_narrow_box(box_result, dtype in, dtype out);
box_kernels<double> find_float_box(box_result, dtype in, dtype out);

}  // namespace upsweep::detail::summed_area_table_impl
