// Keys of many bodies on one thread, by SIMD.
#pragma once

#include <cstdint>

#include "upsweep/nbody/nbody_tree_keys.hpp"

namespace upsweep::detail::nbody_impl {

inline constexpr std::uint64_t keys_at_once = 256;

// hilbert_key of `keys_at_once` columns on each axis. The columns are overwritten.
void hilbert_keys(std::uint32_t* x, std::uint32_t* y, std::uint32_t* z, std::uint64_t* keys);

}  // namespace upsweep::detail::nbody_impl
