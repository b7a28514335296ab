#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include "upsweep/thrust.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(thrust, where_compiled) {
#include "thrust.example"
  EXPECT_EQ(v[0], 2);
  EXPECT_EQ(sum, 2000);
}
