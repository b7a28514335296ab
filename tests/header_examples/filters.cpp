#include "upsweep/filters.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(filters, everywhere) {
  const std::vector<float> in(640 * 480 * 3, 0.5f);
  std::vector<float> out(640 * 480 * 3);
  const upsweep::buffer<float> frame(gpu, in);
  upsweep::buffer<float> clean(gpu, in.size()), small(gpu, 320 * 240 * 3);
#include "filters.example"
  EXPECT_NEAR(small.download().back(), 0.5f, 1e-6f);
  EXPECT_NEAR(out[0], 0.5f, 1e-6f);
  EXPECT_NEAR(out[320 * 240 * 3 - 1], 0.5f, 1e-6f);
}
