#include "upsweep/histogram_2d.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(histogram_2d, where_compiled) {
  const std::vector<float> u{-1, 0.999f, 5}, v{0, 9.99f, 5};
  std::vector<std::uint64_t> cells(64 * 100);
  const upsweep::buffer<std::uint8_t> x(gpu, std::vector<std::uint8_t>{3, 9, 3}),
      y(gpu, std::vector<std::uint8_t>{7, 255, 7});
  const upsweep::buffer<std::uint8_t> x_edges(gpu, std::vector<std::uint8_t>{0, 5, 10});
  upsweep::buffer<std::uint64_t> counts(gpu, 2 * 256);
  const std::vector<std::uint8_t> r{0, 255}, g{1, 200}, b{16, 17}, edges{0, 100, 255};
  std::vector<std::uint64_t> cubes(16 * 2 * 16);
#include "histogram_2d.example"
  EXPECT_EQ(cells[0], 1u);
  EXPECT_EQ(cells[64 * 100 - 1], 1u);
  EXPECT_EQ(counts.download()[7], 2u);
  EXPECT_EQ(counts.download()[256 + 255], 1u);
  EXPECT_EQ(cubes[0 * 32 + 0 * 16 + 1], 1u);
  EXPECT_EQ(cubes[15 * 32 + 1 * 16 + 1], 1u);
}
