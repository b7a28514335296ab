// nbody/shared-tile
//
// Source    L. Nyland, M. Harris, J. Prins, Fast N-Body Simulation with CUDA, GPU Gems 3, chapter 31, 2007.
// Teaches   what a whole block needs, it loads once: the threads carry a tile of bodies into shared memory together,
//           and all of them walk past the tile. A tile's sum is made by itself before it is added, which also keeps the
//           rounding of long sums small.
// Work      n² interactions, and an addition a tile and body. Span n and the tiles. Launches 1.
// Wrong     each interaction still reads 16 bytes of shared memory: a warp takes in one body an instruction, for one
//           interaction.
// Fixed by  nbody/register-blocked.
#pragma once

#include "upsweep/nbody/textbook/nbody_pull.cuh"

namespace upsweep::textbook::nbody_variants {

template <unsigned block, class T, class Pull>
__global__ void pull_by_tiles(global<const vec4<T>> in, global<vec4<T>> out, std::uint64_t n, T softening_squared,
                              result_form<T> form, Pull pull) {
  UPSWEEP_SHARED(vec4<T>, tile, block);
  const std::uint64_t i = std::uint64_t{blockIdx.x} * block + threadIdx.x;
  vec4<T> here{}, sum{};
  if (i < n) here = in[i];
  for (std::uint64_t begin = 0; begin < n; begin += block) {
    if (begin + threadIdx.x < n) tile[threadIdx.x] = in[begin + threadIdx.x];
    __syncthreads();  // others have loaded what this thread walks past
    const unsigned count = n - begin < block ? static_cast<unsigned>(n - begin) : block;
    if (i < n) {
      vec4<T> part{};
      for (unsigned j = 0; j < count; ++j) {
        const vec4<T> there = tile[j];
        pull(part, here, there, softening_squared, i == begin + j);
      }
      pull.add(sum, part);
    }
    __syncthreads();  // others have walked past what this thread loads next
  }
  if (i < n) out[i] = form(sum);
}

template <unsigned block = 256>
struct shared_tile : defaults {
  static constexpr std::string_view name = "nbody/shared-tile";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "Nyland, Harris and Prins";
  static constexpr std::string_view teaches =
      "a block loads a tile of bodies into shared memory, and all its threads walk past it";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr formula work{"n^2 + n ceil(n/256)", [](double n) { return n * n + n * ceil_div(n, block); }};
  static constexpr formula span{"n + ceil(n/256)", [](double n) { return n + ceil_div(n, block); }};
  static constexpr formula launches{"1", [](double) { return 1.0; }};
  static constexpr formula traffic{"n ceil(n/256) + 2n", [](double n) { return n * ceil_div(n, block) + 2 * n; }};

  template <class T, class Grid, class Pull>
  static void run(Grid& grid, global<const vec4<T>> in, global<vec4<T>> out, std::uint64_t n, T softening_squared,
                  result_form<T> form, Pull pull) {
    grid.launch(pull_by_tiles<block, T, Pull>, blocks_for(n, block), block, in, out, n, softening_squared, form, pull);
  }
};

}  // namespace upsweep::textbook::nbody_variants
