#include "upsweep/scan.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(scan, everywhere) {
  const upsweep::buffer<std::uint32_t> counts(gpu, std::vector<std::uint32_t>{3, 0, 2});
  upsweep::buffer<std::uint32_t> offsets(gpu, 3);
  const std::vector<double> values{2, 1, 5};
  std::vector<double> running(3);
  const upsweep::buffer<float> x(gpu, std::vector<float>{1, 2, 3});
  upsweep::buffer<float> y(gpu, 3);
#include "scan.example"
  EXPECT_EQ(offsets.download(), (std::vector<std::uint32_t>{0, 3, 3}));
  EXPECT_EQ(running, (std::vector<double>{2, 2, 5}));
  EXPECT_EQ(y.download(), (std::vector<float>{1, 5, 14}));
}
