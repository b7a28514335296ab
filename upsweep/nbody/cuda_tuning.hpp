// What CUDA's kernels are tuned by, measured on an H200 (README.md).
#pragma once

#include <cstdint>

namespace upsweep::nbody_room {

// A thread a body, with jerks.
inline constexpr unsigned cuda_threads = 128;

// A block of bodies that all of its threads have, and the threads that share out the masses.
inline constexpr unsigned cuda_rows = 4, cuda_row_threads = 256;

// From so many bodies on each pair is met once; from `many` on a thread holds more of them. f64 has no more registers.
inline constexpr std::uint64_t cuda_mutual_from = 12'288, cuda_many_from = 32'768;
inline constexpr unsigned cuda_mutual_threads = 64, cuda_held = 4, cuda_held_of_many = 8;
inline constexpr std::uint64_t cuda_planes = std::uint64_t{1} << 28;  // bytes of sums, or two planes if these are more

// The tree: most bodies of a leaf, no more than a warp's lanes; bodies that walk together, two a lane; warps a block.
inline constexpr unsigned cuda_leaf = 32, cuda_group = 64, cuda_walking_warps = 4;

}  // namespace upsweep::nbody_room
