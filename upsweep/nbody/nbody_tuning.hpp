// The sizes from which one method is faster than another, as measured (nbody/README.md).
#pragma once

#include <cstdint>

namespace upsweep::detail::nbody_impl {

// The tree is used from this number of bodies on. Targets without a tree in the build compute all pairs.
inline constexpr std::uint64_t cpu_tree_from = 3500;
inline constexpr std::uint64_t cuda_mutual_from = 10'000;      // all pairs, each once
inline constexpr std::uint64_t cuda_tree_from = 40'000;        // of a uniform cube; some 50 000 of a cluster
inline constexpr std::uint64_t opencl_cpu_tree_from = 12'000;  // of PoCL, Plummer's sphere
inline constexpr std::uint64_t opencl_tree_from = 1 << 17;     // of a GPU: not measured on one

// All pairs on the CPU: blocks of targets that a thread takes at a time, and masses that they meet before the next
// block does: 16 KiB.
inline constexpr std::uint64_t cpu_blocks_at_once = 4, cpu_masses_at_once = 1024;
inline constexpr std::uint64_t most_targets_in_block = 32;  // two vectors of 64 bytes

// Bodies that walk a tree together, on every device.
inline constexpr std::uint64_t bodies_in_group = 64;

// The tree on the CPU: most bodies of a leaf, and bodies that walk together, whole blocks of targets.
inline constexpr std::uint64_t cpu_leaf = 24, cpu_group = bodies_in_group;

}  // namespace upsweep::detail::nbody_impl
