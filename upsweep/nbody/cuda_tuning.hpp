// All pairs on CUDA: threads a block, bodies a thread, and how masses are cut into slices.
#pragma once

#include <algorithm>
#include <cstdint>

namespace upsweep::nbody_room {

inline constexpr unsigned cuda_threads = 128;
inline constexpr unsigned cuda_bodies = 4;              // a thread, of many bodies
inline constexpr std::uint64_t cuda_few_bodies = 2048;  // up to so many a thread has one
inline constexpr unsigned cuda_blocks_per_multiprocessor = 8;
inline constexpr std::uint64_t cuda_least_slice = 64;  // masses
inline constexpr std::uint64_t cuda_most_slices = 64;

// The tree: most bodies of a leaf, no more than a warp's lanes; bodies that walk together, two a lane; warps a block.
inline constexpr unsigned cuda_leaf = 32, cuda_group = 64, cuda_walking_warps = 4;

struct slices_of_masses {
  std::uint64_t across;  // blocks that have all bodies
  std::uint64_t slice, slices;
};

// The number of slices whose blocks, in whole rounds over the device, finish first; of equal ones the fewest.
inline slices_of_masses slice_masses(std::uint64_t n, unsigned bodies_a_thread, unsigned multiprocessors) {
  const std::uint64_t each = std::uint64_t{cuda_threads} * bodies_a_thread, across = (n + each - 1) / each;
  const std::uint64_t at_once = std::uint64_t{multiprocessors} * cuda_blocks_per_multiprocessor;
  std::uint64_t best = 1;
  double shortest = 0;
  for (std::uint64_t k = 1; k <= cuda_most_slices && (k == 1 || n / k >= cuda_least_slice); ++k) {
    const double rounds = static_cast<double>((across * k + at_once - 1) / at_once),
                 time = rounds * static_cast<double>(n) / static_cast<double>(k);
    if (k == 1 || time < 0.98 * shortest) best = k, shortest = time;
  }
  const std::uint64_t slice = ((n + best - 1) / best + 31) / 32 * 32;
  return {across, slice, (n + slice - 1) / slice};
}

}  // namespace upsweep::nbody_room
