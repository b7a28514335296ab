#include "upsweep/pieces.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(pieces, everywhere) {
  using u64s = std::vector<std::uint64_t>;
  const upsweep::buffer<std::uint8_t> is_newline(gpu, std::vector<std::uint8_t>{0, 1, 0, 0, 1, 0});
  upsweep::buffer<std::uint64_t> offsets(gpu, 7);
  const std::vector<std::vector<int>> lists{{1, 2}, {}, {3}};
  const upsweep::buffer<int> x(gpu, std::vector<int>{10, 11, 12, 13});
  const upsweep::buffer<std::uint64_t> starts(gpu, u64s{2, 0});
  const upsweep::buffer<std::uint64_t> lengths(gpu, u64s{2, 1}), positions(gpu, u64s{0, 3});
  upsweep::buffer<int> joined(gpu, 3), y(gpu, std::vector<int>{0, 0, 0, 0});
  const std::vector<float> first{1, 2}, second{3};
  std::vector<float> third(2), fourth(1);
  const std::vector<const float*> sources{first.data(), second.data()};
  const std::vector<float*> destinations{third.data(), fourth.data()};
  const u64s counts{2, 1};
#include "pieces.example"
  EXPECT_EQ(lines, 3u);
  EXPECT_EQ(offsets.download()[2], 5u);
  EXPECT_EQ(all, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(joined.download(), (std::vector<int>{12, 13, 10}));
  EXPECT_EQ(y.download(), (std::vector<int>{12, 13, 0, 10}));
  EXPECT_EQ(third, first);
  EXPECT_EQ(fourth, second);
}
