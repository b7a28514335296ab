#include "upsweep/histogram.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(histogram, everywhere) {
  const upsweep::buffer<std::uint8_t> bytes(gpu, std::vector<std::uint8_t>{0, 255, 255}),
      rgba(gpu, std::vector<std::uint8_t>{1, 2, 3, 4, 1, 2, 3, 5});
  upsweep::buffer<std::uint64_t> counts(gpu, 256), of_channels(gpu, 4 * 256), answers(gpu, 2);
  const std::vector<float> prices{1.5f, 2.5f, 9};
  const std::vector<float> edges{0, 2, 10};
  std::vector<std::uint64_t> in_bins(2);
  const upsweep::buffer<float> x(gpu, std::vector<float>{-0.5f, 0.5f, 0.75f}), w(gpu, std::vector<float>{1, 2, 4}),
      sold(gpu, std::vector<float>{0.05f, 50, 99.95f});
  upsweep::buffer<double> sums(gpu, 2);
  const upsweep::buffer<upsweep::bin_range> ranges(gpu, std::vector<upsweep::bin_range>{{0, 1000}, {1, 999}});
#include "histogram.example"
  EXPECT_EQ(counts.download()[255], 2u);
  EXPECT_EQ(in_bins, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(of_channels.download()[256 + 2], 2u);
  EXPECT_EQ(of_channels.download()[3 * 256 + 5], 1u);
  EXPECT_EQ(sums.download(), (std::vector<double>{1, 6}));
  EXPECT_EQ(answers.download(), (std::vector<std::uint64_t>{3, 1}));
}
