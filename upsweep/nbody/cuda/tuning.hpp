// What CUDA's kernels are tuned by, measured on an H200 (README.md).
#pragma once

#include <cstdint>

#include "upsweep/nbody/tuning.hpp"

namespace upsweep::nbody_room {

// A thread a body, with jerks.
inline constexpr unsigned cuda_threads = 128;

// A block of bodies that all of its threads have, and the threads that share out the masses.
inline constexpr unsigned cuda_rows = 4, cuda_row_threads = 256;

// From so many bodies on each pair is met once. A block's threads and the bodies that each of them holds make a tile:
// of few bodies small ones, or there are too few blocks.
inline constexpr std::uint64_t cuda_many_from = 28'000;  // and tuning.hpp's cuda_mutual_from
struct mutual_tile {
  unsigned held, threads;
};
inline constexpr mutual_tile cuda_tile_of_few{4, 32}, cuda_tile_of_many{8, 64}, cuda_tile_of_many_f64{4, 64};
inline constexpr std::uint64_t cuda_planes = std::uint64_t{1} << 28;  // bytes of sums, or two planes if these are more

// The tree: most bodies of a leaf, no more than a warp's lanes; bodies that walk together, two a lane; warps a block.
inline constexpr unsigned cuda_leaf = 32, cuda_group = bodies_in_group, cuda_walking_warps = 4;
inline constexpr unsigned cuda_patience = 512;  // cells that a walk opens by its box alone

}  // namespace upsweep::nbody_room
