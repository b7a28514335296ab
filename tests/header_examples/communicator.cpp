#include "upsweep/communicator.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(communicator, everywhere) {
  const std::vector<float> values{0.75f, 0.25f, 0.5f, 0.125f};
#include "communicator.example"
  EXPECT_EQ(total, 1.625f);
  EXPECT_EQ(kept, 2u);
  EXPECT_EQ(small.gather(), (std::vector<float>{0.125f, 0.25f}));
  EXPECT_EQ(sorted, (std::vector<float>{0.125f, 0.25f, 0.5f, 0.75f}));
  EXPECT_EQ(running.gather().back(), 1.625f);
}
