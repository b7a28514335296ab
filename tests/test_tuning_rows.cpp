// Which row of tuning a device takes, without a device.
#include <gtest/gtest.h>

#include "upsweep/cuda/tuning_policies.hpp"

namespace upsweep::cuda {
namespace {

TEST(TuningRows, TheFirstThatFitsIsTakenElseTheLast) {
  const std::vector<tuning_policy> rows{
      {.variant = "scan", .elements = "4 bytes", .row = "large", .shared_bytes = 220'000},
      {.variant = "scan", .elements = "4 bytes", .row = "small", .shared_bytes = 30'000},
      {.variant = "scan", .elements = "8 bytes", .row = "large", .shared_bytes = 90'000},
      {.variant = "scan", .elements = "8 bytes", .row = "small", .shared_bytes = 31'000},
      {.variant = "sort", .elements = "4 bytes", .row = "large", .shared_bytes = 220'000},
  };
  const auto taken = [&](std::uint64_t limit) {
    std::vector<int> which;
    for (int i = 0; i < static_cast<int>(rows.size()); ++i)
      if (is_taken(rows, rows[i], limit)) which.push_back(i);
    return which;
  };
  EXPECT_EQ(taken(227 << 10), (std::vector{0, 2, 4}));
  EXPECT_EQ(taken(99 << 10), (std::vector{1, 2, 4}));  // the last is all that sort has
  EXPECT_EQ(taken(48 << 10), (std::vector{1, 3, 4}));
  EXPECT_EQ(taken(90'000), (std::vector{1, 2, 4}));  // just so
}

}  // namespace
}  // namespace upsweep::cuda
