#include "upsweep/sort.hpp"

#include "tests/header_examples/example.hpp"

struct trade {
  int day;
  double price;
};

HEADER_EXAMPLE(sort, everywhere) {
  using upsweep::tests::by_length;
  upsweep::buffer<float> keys(gpu, std::vector<float>{3, 1, 2});
  upsweep::buffer<std::uint64_t> rows(gpu, std::vector<std::uint64_t>{7, 8, 9});
  const upsweep::buffer<std::uint64_t> offsets(gpu, std::vector<std::uint64_t>{0, 2, 3});
  const std::vector<double> prices{1, 3, 2}, x{5, 1, 4, 2, 3};
  std::vector<double> sorted(3);
  const std::vector<std::string> names{"Alan", "Bo", "Ada"};
  std::vector<std::uint32_t> order(3);
  const upsweep::buffer<float> scores(gpu, std::vector<float>{1, 9, 3, 9});
  upsweep::buffer<float> best(gpu, 2);
  upsweep::buffer<std::uint64_t> where(gpu, 2);
  std::vector<trade> trades{{2, 5}, {1, 5}, {2, 7}};
#include "sort.example"
  EXPECT_EQ(trades[0].day, 1);
  EXPECT_EQ(trades[1].price, 7);
  EXPECT_EQ(keys.download(), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(rows.download(), (std::vector<std::uint64_t>{7, 8, 9}));
  EXPECT_EQ(sorted, (std::vector<double>{3, 2, 1}));
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(where.download(), (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(median, 3);
}
