#include "upsweep/segmented.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(segmented, everywhere) {
  const std::vector<int> days{1, 1, 2, 2, 2}, prices{1, 2, 3, 4, 3};
  const upsweep::buffer<int> keys(gpu, days), x(gpu, prices);
  upsweep::buffer<int> run_keys(gpu, 5), run_sums(gpu, 5), sums(gpu, 2), y(gpu, 5);
  upsweep::buffer<std::uint64_t> count(gpu, 1);
  const upsweep::buffer<std::uint64_t> offsets(gpu, std::vector<std::uint64_t>{0, 1, 5});
  std::vector<int> running(5);
#include "segmented.example"
  EXPECT_EQ(runs, 2u);
  EXPECT_EQ(run_keys.download()[1], 2);
  EXPECT_EQ(run_sums.download()[1], 10);
  EXPECT_EQ(count.download()[0], 2u);
  EXPECT_EQ(running, (std::vector<int>{1, 2, 3, 4, 4}));
  EXPECT_EQ(sums.download(), (std::vector<int>{1, 12}));
  EXPECT_EQ(y.download(), (std::vector<int>{0, 0, 2, 5, 9}));
}
