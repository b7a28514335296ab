#include "upsweep/convolve.hpp"

#include <cstdio>

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(convolve, everywhere) {
  const upsweep::buffer<float> in(gpu, std::vector<float>(640 * 480 * 3, 2));
  upsweep::buffer<float> out(gpu, 640 * 480 * 3);
  const std::vector<double> signal{0, 0, 0, 1, 0, 0, 0};
  std::vector<double> result(7);
#include "convolve.example"
  EXPECT_EQ(out.download(), std::vector<float>(640 * 480 * 3, 32));
  EXPECT_EQ(result, (std::vector<double>{0, 1, 2, 3, 2, 1, 0}));
}
