#include "upsweep/search.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(search, everywhere) {
  const upsweep::buffer<float> x(gpu, std::vector<float>{-3, 1, -1}), y(gpu, std::vector<float>{-3, 1, 1}),
      scores(gpu, std::vector<float>{1, 9, 9}), edges(gpu, std::vector<float>{0, 1, 2}),
      values(gpu, std::vector<float>{0.5f, 1, 7});
  upsweep::buffer<std::uint64_t> place(gpu, 1), bins(gpu, 3);
  const std::vector<std::string> words{"long", "longer", "excessively long", "extraordinary"};
#include "search.example"
  EXPECT_EQ(cold, 2u);
  EXPECT_EQ(at, 2u);
  EXPECT_FALSE(same);
  EXPECT_EQ(best, 1u);
  EXPECT_EQ(place.download()[0], 1u);
  EXPECT_EQ(bins.download(), (std::vector<std::uint64_t>{1, 1, 3}));
}
