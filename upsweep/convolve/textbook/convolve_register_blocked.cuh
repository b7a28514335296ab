// convolve/register-blocked
//
// Source    V. Volkov, Better Performance at Lower Occupancy, 2010: several results a thread.
// Teaches   registers: a thread makes five results side by side. Of the five elements that a weight needs, four were
//           there for the weight before; so each load from shared memory, and each constant, serves five products. Five
//           and not four, because lanes then stand five words apart, and 5 and 32 have no common divisor: no two lanes
//           meet in a bank.
// Work      mask * n, n rounded up to whole blocks. Span: five times the mask. Launches 1.
// Wrong     results of one thread lie side by side, and lanes would store five words apart: they go through shared
//           memory once more, to be stored in order. A mask that is known only at run time keeps the loop from being
//           unrolled.
// Fixed by  the library's convolve.
#pragma once

#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/textbook/convolve_shared_tile.cuh"

namespace upsweep::textbook::convolve_variants {

inline constexpr unsigned results_each = 5;

template <unsigned block, class T, class Fma>
__global__ void convolve_in_registers(global<const T> in, global<T> out, shape s, Fma fma) {
  UPSWEEP_DYNAMIC_SHARED(T, tile);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * block * results_each;
  load_row_tile<T>(tile, in, first, block * results_each + s.mask_x - 1, s);
  __syncthreads();  // the tile is full before anybody reads what another thread has loaded
  const unsigned mine = threadIdx.x * results_each;
  T sum[results_each] = {}, window[results_each];
#pragma unroll
  for (unsigned r = 0; r + 1 < results_each; ++r) window[r] = tile[mine + r];
  for (unsigned i = 0; i < s.mask_x; ++i) {
    window[results_each - 1] = tile[mine + i + results_each - 1];
    const T weight = constant_weight<T>(s.at(i, 0));
#pragma unroll
    for (unsigned r = 0; r < results_each; ++r) sum[r] = fma(sum[r], weight, window[r]);
#pragma unroll
    for (unsigned r = 0; r + 1 < results_each; ++r) window[r] = window[r + 1];
  }
  __syncthreads();  // all have read the tile before results are written over it
#pragma unroll
  for (unsigned r = 0; r < results_each; ++r) tile[mine + r] = sum[r];
  __syncthreads();  // the results are there before others store them
  for (unsigned t = threadIdx.x; t < block * results_each; t += block)
    if (first + t < s.width) out[first + t] = tile[t];
}

template <unsigned block = 256>
struct register_blocked : defaults {
  static constexpr std::string_view name = "convolve/register-blocked";
  static constexpr int year = 2010;
  static constexpr std::string_view source = "Volkov";
  static constexpr std::string_view teaches =
      "five results a thread from a window in registers: each load serves five products";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr std::string_view limits = "one row of i32 or f32, zeros beyond its ends; up to 4096 weights";
  static constexpr auto cannot = constant_row_cannot;
  static constexpr formula work{"mask * n, n rounded up to blocks (9n for a mask of 9)",
                                [](double n) { return 9 * ceil_div(n, block * results_each) * block * results_each; }};
  static constexpr formula span{"5 mask (45 for a mask of 9)", [](double) { return 45.0; }};
  static constexpr formula traffic{"at least 2n, and mask - 1 a block", [](double n) { return 2 * n; }};
  static counts_of_problem counts_of(const detail::convolve_impl::problem& p) {
    const double n = static_cast<double>(p.n), mask = static_cast<double>(p.mask.x), whole = block * results_each;
    return {ceil_div(n, whole) * whole * mask, results_each * mask, 1, 2 * n};
  }

  template <class T, class Grid, class Fma>
  static void run(Grid& grid, global<const T> in, global<const T> mask, global<const T>, global<T> out, shape s,
                  Fma fma) {
    fill_constant_weights<T>(grid, mask, s.weights());
    const unsigned bytes = (block * results_each + s.mask_x - 1) * static_cast<unsigned>(sizeof(T));
    grid.launch_with_shared(bytes, convolve_in_registers<block, T, Fma>, blocks_for(s.width, block * results_each),
                            block, in, out, s, fma);
  }
};

}  // namespace upsweep::textbook::convolve_variants
