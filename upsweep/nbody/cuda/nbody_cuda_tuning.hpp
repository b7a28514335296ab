// Tuning parameters of the CUDA kernels, measured on an H200 (README.md).
#pragma once

#include <cstdint>

#include "upsweep/nbody/nbody_tuning.hpp"

namespace upsweep::detail::nbody_impl {

// A thread a body, with jerks.
inline constexpr unsigned cuda_threads = 128;

// A block of bodies that all of its threads have, and the threads that share out the masses.
inline constexpr unsigned cuda_rows = 4, cuda_row_threads = 256;

// From this number of bodies on each pair is computed once. A block's threads times the bodies that each of them holds
// are a tile. Few bodies need small tiles, otherwise there are too few blocks.
inline constexpr std::uint64_t cuda_many_from = 28'000;  // and cuda_mutual_from of nbody_tuning.hpp
struct mutual_tile {
  unsigned held, threads;
};
inline constexpr mutual_tile cuda_tile_of_few{4, 32}, cuda_tile_of_many{8, 64}, cuda_tile_of_many_f64{4, 64};
inline constexpr std::uint64_t cuda_planes = std::uint64_t{1} << 28;  // bytes of sums, or two planes if these are more

// The tree: most bodies of a leaf, no more than a warp's lanes; bodies that walk together, two a lane; warps a block.
inline constexpr unsigned cuda_leaf = 32, cuda_group = bodies_in_group, cuda_walking_warps = 4;
inline constexpr unsigned cuda_patience = 512;  // cells that a walk opens by its box alone

}  // namespace upsweep::detail::nbody_impl
