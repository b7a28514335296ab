#include "upsweep/half.hpp"

#include "tests/header_examples/example.hpp"
#include "upsweep/reduce.hpp"

HEADER_EXAMPLE(half, everywhere) {
#include "half.example"
  EXPECT_EQ(total, 500);
}
