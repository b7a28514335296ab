#include "upsweep/rearrange.hpp"

#include <algorithm>

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(rearrange, everywhere) {
  upsweep::buffer<int> x(gpu, std::vector<int>{1, 2, 3, 4}), y(gpu, std::vector<int>{5, 6, 7, 8});
  std::vector<std::string> days{"Mon", "Tue", "Wed", "Thu", "Fri"};
  std::vector<std::uint32_t> order(4);
#include "rearrange.example"
  EXPECT_EQ(y.download(), (std::vector<int>{4, 3, 2, 1}));
  EXPECT_EQ(days[0], "Thu");
  const std::vector<int> shuffled = x.download();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(shuffled[i], 5 + static_cast<int>(order[i]));
}
