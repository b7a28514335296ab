#include "upsweep/select.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(select, everywhere) {
  const upsweep::buffer<float> x(gpu, std::vector<float>{0.25f, 0.25f, 1, 0, 0});
  upsweep::buffer<float> y(gpu, 5), firsts(gpu, 5);
  upsweep::buffer<std::uint64_t> count(gpu, 1), lengths(gpu, 5);
  const std::vector<float> values{1, 0.25f, 2, 0};
  std::vector<float> parted(4);
#include "select.example"
  EXPECT_EQ(kept, 4u);
  EXPECT_EQ(y.download()[3], 0);
  EXPECT_EQ(count.download()[0], 4u);
  EXPECT_EQ(small, 2u);
  EXPECT_EQ(parted, (std::vector<float>{0.25f, 0, 1, 2}));
  EXPECT_EQ(runs, 3u);
  EXPECT_EQ(firsts.download()[1], 1);
  EXPECT_EQ(lengths.download()[2], 2u);
}
