#include "upsweep/summed_area_table.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(summed_area_table, everywhere) {
  const upsweep::buffer<std::uint8_t> picture(gpu, std::vector<std::uint8_t>(1920 * 1080, 3));
  upsweep::buffer<std::uint32_t> table(gpu, 1920 * 1080), sums(gpu, 2);
  upsweep::buffer<std::uint8_t> smooth(gpu, 1920 * 1080);
  const std::vector<float> rgb(5888 * 1080, 1);
  std::vector<double> sums_of_rgb(3 * 1920 * 1080);
  const upsweep::buffer<upsweep::rectangle> rectangles(gpu,
                                                       std::vector<upsweep::rectangle>{{0, 0, 1, 1}, {5, 6, 15, 26}});
#include "summed_area_table.example"
  EXPECT_EQ(table.download().back(), 3u * 1920 * 1080);
  EXPECT_EQ(sums_of_rgb.back(), 1920 * 1080);
  EXPECT_EQ(sums.download(), (std::vector<std::uint32_t>{3, 600}));
  EXPECT_EQ(smooth.download(), std::vector<std::uint8_t>(1920 * 1080, 3));
}
