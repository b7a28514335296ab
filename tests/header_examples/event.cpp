#include "upsweep/event.hpp"

#include "tests/header_examples/example.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/sort.hpp"

HEADER_EXAMPLE(event, everywhere) {
  const upsweep::context a = gpu, b = gpu;
  upsweep::buffer<float> x(gpu, std::vector<float>{3, 1, 2}), total(gpu, 1);
#include "event.example"
  EXPECT_TRUE(sorted.done());
  EXPECT_EQ(x.download()[0], 1);
  EXPECT_EQ(total.download()[0], 6);
}
