#include "upsweep/transform.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(transform, everywhere) {
  upsweep::buffer<float> x(gpu, std::vector<float>{1, -2, 3}), y(gpu, 3);
  upsweep::buffer<int> totals(gpu, std::vector<int>{1, 3, 6}), zeros(gpu, 3);
  const std::vector<float> a{1, 2}, b{3, 4}, c{5, 6};
  std::vector<float> sums(2), out(2);
  std::vector<int> readings{4, -1, 5}, indices(3);
  std::vector<double> grid(3);
  std::vector<std::uint64_t> squares(4);
#include "transform.example"
  EXPECT_EQ(y.download(), (std::vector<float>{1, 4, 9}));
  EXPECT_EQ(x.download(), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(sums, (std::vector<float>{4, 6}));
  EXPECT_EQ(out, (std::vector<float>{8, 14}));
  EXPECT_EQ(readings, (std::vector<int>{4, 0, 5}));
  EXPECT_EQ(zeros.download(), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(indices, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(grid, (std::vector<double>{-1, -0.875, -0.75}));
  EXPECT_EQ(squares, (std::vector<std::uint64_t>{0, 1, 4, 9}));
  EXPECT_EQ(totals.download(), (std::vector<int>{1, 2, 3}));
}
