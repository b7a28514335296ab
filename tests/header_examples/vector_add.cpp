#include "upsweep/vector_add.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(vector_add, everywhere) {
  const upsweep::buffer<float> x(gpu, std::vector<float>{1, 2, 3}), y(gpu, std::vector<float>{10, 20, 30});
  upsweep::buffer<float> sums(gpu, 3);
  std::vector<int> a{1, 2};
  const std::vector<int> b{3, 4};
#include "vector_add.example"
  EXPECT_EQ(sums.download(), (std::vector<float>{11, 22, 33}));
  EXPECT_EQ(a, (std::vector<int>{4, 6}));
}
