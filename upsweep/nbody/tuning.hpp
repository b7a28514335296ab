// Where one way becomes faster than another, as measured (nbody/README.md).
#pragma once

#include <cstdint>

namespace upsweep::nbody_room {

// From so many bodies on the tree is taken. What has no tree in a build takes all pairs.
inline constexpr std::uint64_t cpu_tree_from = ~std::uint64_t{0};
inline constexpr std::uint64_t cuda_tree_from = ~std::uint64_t{0};
inline constexpr std::uint64_t opencl_tree_from = ~std::uint64_t{0};

}  // namespace upsweep::nbody_room
