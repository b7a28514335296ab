// Thrust's calls on the CPU, compiled without nvcc.
#include "tests/thrust_cases.hpp"

#include "tests/devices.hpp"
#include "tests/thrust_transform_cases.hpp"

namespace {

template <class T>
using host = thrust::host_vector<T>;

TEST(Thrust, Sorts) { thrust_cases<host>{upsweep::context::cpu(3)}.sorts(); }
TEST(Thrust, Folds) { thrust_cases<host>{upsweep::context::cpu(3)}.folds(); }
TEST(Thrust, Scans) { thrust_cases<host>{upsweep::context::cpu(3)}.scans(); }
TEST(Thrust, ByKey) { thrust_cases<host>{upsweep::context::cpu(3)}.by_key(); }
TEST(Thrust, Selects) { thrust_cases<host>{upsweep::context::cpu(3)}.selects(); }
TEST(Thrust, Searches) { thrust_cases<host>{upsweep::context::cpu(3)}.searches(); }
TEST(Thrust, Bounds) { thrust_cases<host>{upsweep::context::cpu(3)}.bounds(); }
TEST(Thrust, Transforms) { thrust_transform_cases<host>{upsweep::context::cpu(3)}.transforms(); }
TEST(Thrust, ShortDifferences) {
  const thrust_transform_cases<host> cases{upsweep::context::cpu(3)};
  cases.short_differences<signed char>();
  cases.short_differences<unsigned char>();
  cases.short_differences<short>();
  cases.short_differences<unsigned short>();
}
TEST(Thrust, Values) { thrust_transform_cases<host>{upsweep::context::cpu(3)}.values(); }
TEST(Thrust, Replaces) { thrust_transform_cases<host>{upsweep::context::cpu(3)}.replaces(); }
TEST(Thrust, Rearranges) { thrust_transform_cases<host>{upsweep::context::cpu(3)}.rearranges(); }
TEST(Thrust, Shuffles) { thrust_transform_cases<host>{upsweep::context::cpu(3)}.shuffles(); }

TEST(Thrust, PointersAreIterators) {
  std::vector<double> x{3, 1, 2};
  const auto policy = upsweep::on(upsweep::context::cpu());
  thrust::sort(policy, x.data(), x.data() + 3);
  EXPECT_EQ(x, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(thrust::reduce(policy, x.data(), x.data() + 3, 0.5), 6.5);
}

TEST(Thrust, OpenCLIsRefused) {
  for (const std::string& name : upsweep::tests::device_names())
    if (name.starts_with("opencl")) {
      EXPECT_THROW(upsweep::on(upsweep::tests::on(name)), upsweep::error);
    }
}

}  // namespace
