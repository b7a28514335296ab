#include "upsweep/error.hpp"

#include <cstdio>

#include "tests/header_examples/example.hpp"
#include "upsweep/scan.hpp"

HEADER_EXAMPLE(error, everywhere) {
  const std::vector<float> x{1, 2, 3};
  std::vector<float> y(3);
#include "error.example"
  EXPECT_EQ(y, (std::vector<float>{1, 3, 6}));
}
