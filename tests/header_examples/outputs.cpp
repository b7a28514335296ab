#include "upsweep/outputs.hpp"

#include "tests/header_examples/example.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/select.hpp"

namespace UPSWEEP_EXAMPLES {
struct to_celsius {
  UPSWEEP_HD float operator()(float kelvin) const { return kelvin - 273; }
};
struct share_of {
  double total;
  UPSWEEP_HD double operator()(double v) const { return v / total; }
};
}  // namespace UPSWEEP_EXAMPLES

HEADER_EXAMPLE(outputs, where_compiled) {
  using UPSWEEP_EXAMPLES::share_of, UPSWEEP_EXAMPLES::to_celsius;
  const std::vector<int> keys{1, 1, 2};
  const std::vector<double> amounts{1, 2, 5};
  std::vector<double> sums(3), shares(3);
  const double total = 8;
  const upsweep::buffer<float> x(gpu, std::vector<float>{300, 200, 373});
  upsweep::buffer<float> y(gpu, 3);
#include "outputs.example"
  EXPECT_EQ(sums[0], 3);
  EXPECT_EQ(sums[1], 5);
  EXPECT_EQ(y.download()[0], 27);
  EXPECT_EQ(y.download()[1], 100);
  EXPECT_EQ(shares, (std::vector<double>{1.0 / 8, 3.0 / 8, 1}));
}
