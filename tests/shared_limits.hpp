// Shapes against the shared memory that a block may have, without a GPU.
#pragma once

#include <gtest/gtest.h>

#include "upsweep/cuda/shared_limits.hpp"

namespace upsweep::tests {

// Any GPU, Turing, Ada and what is like it, A100, Hopper.
inline constexpr std::uint64_t shared_limits[]{48 << 10, 64 << 10, 99 << 10, 163 << 10, 227 << 10};

// Of two shapes the small one is taken where the large one does not fit. On Hopper it is the one that was tuned there.
inline void expect_a_shape_fits(std::uint64_t large, std::uint64_t small, std::uint64_t tuned_on_hopper) {
  std::uint64_t taken = 0;
  for (const std::uint64_t limit : shared_limits) {
    taken = large <= limit ? large : small;
    EXPECT_LE(taken, limit) << "at " << limit;
  }
  EXPECT_EQ(taken, tuned_on_hopper);
}

}  // namespace upsweep::tests
