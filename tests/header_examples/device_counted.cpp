#include "upsweep/device_counted.hpp"

#include "tests/header_examples/example.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"

HEADER_EXAMPLE(device_counted, everywhere) {
  const upsweep::buffer<float> x(gpu, std::vector<float>{0.25f, 1, 0, 2, 0.125f});
  upsweep::buffer<float> y(gpu, 5), sums(gpu, 5), total(gpu, 1);
  upsweep::buffer<std::uint64_t> count(gpu, 1);
#include "device_counted.example"
  EXPECT_EQ(count.download()[0], 3u);
  EXPECT_EQ(y.download()[2], 0.25f);
  EXPECT_EQ(sums.download()[2], 0.375f);
  EXPECT_EQ(total.download()[0], 0.375f);
}
