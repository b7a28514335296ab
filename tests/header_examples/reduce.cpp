#include "upsweep/reduce.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(reduce, where_compiled) {
  const upsweep::buffer<float> x(gpu, std::vector<float>{1, 2, 3});
  const std::vector<float> values{3, 7, 5}, prices{1, 2, 3}, amounts{4, 5, 6};
  const std::vector<int> ints{1, 2, 2147483647};
  const std::size_t n = ints.size();
#include "reduce.example"
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(top, 7);
  EXPECT_EQ(mean, 2147483650.0 / 3);
  EXPECT_EQ(ss, 14);
  EXPECT_EQ(dot, 32);
}
