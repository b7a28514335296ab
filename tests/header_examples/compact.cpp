#include "upsweep/compact.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(compact, everywhere) {
  std::vector<float> values{3, -1, 2, -5, 0};
  upsweep::buffer<float> x(gpu, std::vector<float>{0.25f, 0.25f, 1, 0.75f, 0.75f}), y(gpu, 5), small(gpu, 5),
      large(gpu, 5);
  const upsweep::buffer<std::uint32_t> ages(gpu, std::vector<std::uint32_t>{17, 18, 80, 3, 20});
  upsweep::buffer<std::uint64_t> offsets(gpu, 6);
  const std::vector<std::string> names{"Ada", "Alan", "Barbara", "Adele", "Anita"};
  std::vector<std::string> out(5);
#include "compact.example"
  EXPECT_EQ(left, 3u);
  EXPECT_EQ((std::vector<float>(values.begin(), values.begin() + 3)), (std::vector<float>{3, 2, 0}));
  const std::vector<float> grown = y.download();
  EXPECT_EQ((std::vector<float>(grown.begin(), grown.begin() + 3)), (std::vector<float>{0.25f, 1, 0.75f}));
  EXPECT_EQ(small.download()[1], 0.25f);
  EXPECT_EQ(large.download()[2], 0.75f);
  EXPECT_EQ(kinds, 3u);
  EXPECT_EQ(out[2], "Adele");
  EXPECT_EQ(runs, 3u);
  const std::vector<std::uint64_t> begins = offsets.download();
  EXPECT_EQ((std::vector<std::uint64_t>(begins.begin(), begins.begin() + 4)), (std::vector<std::uint64_t>{0, 2, 3, 5}));
}
