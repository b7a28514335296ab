#include "upsweep/grouped.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(grouped, everywhere) {
  using u32s = std::vector<std::uint32_t>;
  const upsweep::buffer<std::uint32_t> words(gpu, u32s{7, 5, 7, 7}), k(gpu, u32s{2, 1, 2, 1}), v(gpu, u32s{0, 1, 2, 3});
  upsweep::buffer<std::uint32_t> distinct(gpu, 4), k2(gpu, 4), v2(gpu, 4);
  upsweep::buffer<std::uint64_t> counts(gpu, 4), offsets(gpu, 5);
  const std::vector<float> readings{1, 2, 2, 3};
  const std::vector<int> ids{4, 2, 4, 1, 2}, amounts{10, 20, 30};
  std::vector<int> out(5), sums(3);
  const std::vector<std::uint64_t> buckets{2, 0, 2};
  const upsweep::buffer<float> scores(gpu, std::vector<float>{0.5f, 2, 1});
  const upsweep::buffer<std::uint32_t> rows(gpu, u32s{10, 11, 12});
  upsweep::buffer<float> best(gpu, 2);
  upsweep::buffer<std::uint32_t> best_rows(gpu, 2);
  upsweep::buffer<std::uint64_t> ranks(gpu, 3);
#include "grouped.example"
  EXPECT_EQ(ranks.download(), (std::vector<std::uint64_t>{2, 0, 1}));
  EXPECT_EQ(kinds, 2u);
  EXPECT_EQ(distinct.download()[1], 7u);
  EXPECT_EQ(counts.download()[1], 3u);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(left, 3u);
  EXPECT_EQ(out[2], 1);
  EXPECT_EQ(groups, 2u);
  EXPECT_EQ(v2.download(), (u32s{1, 3, 0, 2}));
  EXPECT_EQ(offsets.download()[1], 2u);
  EXPECT_EQ(sums, (std::vector<int>{20, 0, 40}));
  EXPECT_EQ(best_rows.download(), (u32s{11, 12}));
}
