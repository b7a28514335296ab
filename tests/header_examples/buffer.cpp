#include "upsweep/buffer.hpp"

#include "tests/header_examples/example.hpp"
#include "upsweep/scan.hpp"

HEADER_EXAMPLE(buffer, everywhere) {
  const std::vector<float> values = upsweep::tests::ascending<float>(20);
#include "buffer.example"
  EXPECT_EQ(sums[19], 190);
  EXPECT_EQ(part.size(), 10u);
}
