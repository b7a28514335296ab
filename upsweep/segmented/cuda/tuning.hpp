// How the CUDA passes by key and by segment cut their work.
#pragma once

#include <cstdint>

#include "upsweep/select/cuda/tuning.hpp"

namespace upsweep {

// `Bytes`: of an element, its key and its value; `Largest`: of the two. No more than 32 elements a thread, whose heads
// are the bits of one word. One large block a multiprocessor: adding up what other tiles say costs more here than in
// select, so there should be few of them. Where a block has less shared memory than that, select's small ring.
template <int Bytes, int Largest>
struct by_key_tuning : select_tuning<Bytes, Largest, 28> {
  using ring_fit = tile_fitting<Bytes, Largest, 52 << 10, 28, 512>;
  using ring = tile_shape<ring_fit::threads, ring_fit::items, 4, 2, 1>;
};

// Up to so many values segments are reduced by threads, warps and blocks, however unequal they are.
inline constexpr std::uint64_t few_segmented_values = 1 << 17;

}  // namespace upsweep
