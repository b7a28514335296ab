// nbody/thread-per-body
//
// Source    the course report's kernel: GPU Accelerated Computing Using CUDA, UT Austin. Errata: its CPU listing's
//           softening lost a minus sign in print (1e6 for 1e-6), it updates v where it means x, and CPU and GPU had
//           neither the same softening nor the same G; here all variants have the caller's.
// Teaches   a thread a body, which walks past all bodies: the outer loop of the double loop has become the grid.
// Work      n² interactions. Span n. Launches 1.
// Wrong     every warp reads every body from memory, 16 bytes for some twenty operations: the caches have to serve
//           n²/32 reads.
// Fixed by  nbody/shared-tile.
#pragma once

#include "upsweep/nbody/textbook/nbody_pull.cuh"

namespace upsweep::textbook::nbody_variants {

template <class T, class Pull>
__global__ void pull_each(global<const vec4<T>> in, global<vec4<T>> out, std::uint64_t n, T softening_squared,
                          result_form<T> form, Pull pull) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const vec4<T> here = in[i];
  vec4<T> sum{};
  for (std::uint64_t j = 0; j < n; ++j) {
    const vec4<T> there = in[j];
    pull(sum, here, there, softening_squared, i == j);
  }
  out[i] = form(sum);
}

template <unsigned block = 256>
struct thread_per_body : defaults {
  static constexpr std::string_view name = "nbody/thread-per-body";
  static constexpr int year = 2018;
  static constexpr std::string_view source = "utcs";
  static constexpr std::string_view teaches = "a thread a body, which walks past all bodies in global memory";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr formula work{"n^2", [](double n) { return n * n; }};
  static constexpr formula span{"n", [](double n) { return n; }};
  static constexpr formula launches{"1", [](double) { return 1.0; }};
  static constexpr formula traffic{"n ceil(n/32) + 2n: a warp reads each body once",
                                   [](double n) { return n * ceil_div(n, 32) + 2 * n; }};

  template <class T, class Grid, class Pull>
  static void run(Grid& grid, global<const vec4<T>> in, global<vec4<T>> out, std::uint64_t n, T softening_squared,
                  result_form<T> form, Pull pull) {
    grid.launch(pull_each<T, Pull>, blocks_for(n, block), block, in, out, n, softening_squared, form, pull);
  }
};

}  // namespace upsweep::textbook::nbody_variants
