#include "upsweep/axis.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(axis, everywhere) {
  const std::uint64_t rows = 2, columns = 3, slices = 2, queries = 2, documents = 12;
  const upsweep::buffer<float> x(gpu, std::vector<float>{1, 2, 3, 4, 5, 6});
  upsweep::buffer<float> sums(gpu, 3);
  const std::vector<int> volume = upsweep::tests::ascending<int>(12), matrix{1, 2, 3, 4, 5, 6};
  std::vector<int> most(4), y(6);
  std::vector<std::uint32_t> descending(2048);
  for (std::uint32_t i = 0; i < 2048; ++i) descending[i] = 2047 - i;
  upsweep::buffer<std::uint32_t> keys(gpu, descending);
  const std::vector<float> scores = upsweep::tests::ascending<float>(24);
  std::vector<float> best(20);
  std::vector<std::uint64_t> which(20);
#include "axis.example"
  EXPECT_EQ(sums.download(), (std::vector<float>{5, 7, 9}));
  EXPECT_EQ(most, (std::vector<int>{2, 5, 8, 11}));
  EXPECT_EQ(y, (std::vector<int>{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(keys.download()[0], 1024u);
  EXPECT_EQ(keys.download()[1024], 0u);
  EXPECT_EQ(best[0], 11);
  EXPECT_EQ(which[10], 11u);
}
