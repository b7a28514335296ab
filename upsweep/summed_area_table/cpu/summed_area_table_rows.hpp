// One row of a table on one thread, by SIMD. The instruction set is chosen at run time, once.
#pragma once

#include "upsweep/summed_area_table/summed_area_table_box.hpp"

namespace upsweep::detail::summed_area_table_impl {

// Adds n elements' running sums, by channel, to the row above: above[x] += left[x mod channels] + in[x mod channels] +
// … + in[x], and `left` becomes the sums of the whole row so far. `above` and `left` are of the sum type
// (summed_area_table_box.hpp), n is a multiple of `channels`, `above` is aligned to 64 bytes. The new `above` is also
// written to `out`, in the type of the output; if `streams`, by stores that bypass the caches, and `out` is then
// aligned to 64 bytes.
using row_kernel = void (*)(const void* in, std::uint64_t n, std::uint32_t channels, void* left, void* above, void* out,
                            bool streams);
row_kernel find_row(dtype in, dtype out);

}  // namespace upsweep::detail::summed_area_table_impl
