#include "upsweep/bfloat16.hpp"

#include "tests/header_examples/example.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"

HEADER_EXAMPLE(bfloat16, everywhere) {
  std::vector<float> running(1000);
#include "bfloat16.example"
  EXPECT_NEAR(total, 100, 0.5f);
  EXPECT_NEAR(running.back(), 100, 0.5f);
}
