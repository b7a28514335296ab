// Units in which squares of distances do not fit the bodies' type are refused; the same bodies in f64 or in other units
// attract each other as they should. On every device.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/nbody.hpp"

namespace {

using namespace upsweep;

class Units : public tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, Units, testing::ValuesIn(tests::device_names()), tests::device_label);

// Two bodies of one mass on the x axis.
template <class T>
T acceleration_of_two(const context& where, nbody::parameters rules, T apart, T each) {
  const std::vector<T> x{0, apart}, none{0, 0}, mass{each, each};
  std::vector<T> ax(2), ay(2), az(2);
  nbody::accelerations(where, rules, x, none, none, mass, ax, ay, az);
  return ax[0];
}

constexpr double si = 6.674e-11;

TEST_P(Units, galaxies_in_metres_do_not_fit_f32) {
  const nbody::parameters rules{.gravity = si};
  tests::expect_error(fault::bad_argument, {"3.086e+19 apart", "f32", "larger unit"},
                      [&] { acceleration_of_two<float>(where(), rules, 3.0857e19f, 2e38f); });
  const nbody::bodies<float> two{{0, 3.0857e19f}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {2e38f, 2e38f}};
  tests::expect_error(fault::bad_argument, {"3.086e+19 apart", "larger unit"},
                      [&] { nbody::simulation<float>(where(), two, rules); });
  tests::expect_error(fault::bad_argument, {"the softening is 3e+19", "larger unit"},
                      [&] { acceleration_of_two<float>(where(), {.gravity = si, .softening = 3e19}, 1e12f, 2e30f); });
  tests::expect_error(fault::bad_argument, {"within 1e-20", "smaller unit"},
                      [&] { acceleration_of_two<float>(where(), {}, 1e-20f, 1e-30f); });
  // In kiloparsecs, 10^8 suns and 10^6 years.
  const double scale = si * 2e38 / 3.0857e19 / 3.0857e19;
  const double kiloparsec = 3.0857e19, million_years = 3.15576e13;
  const double gravity = si * 2e38 * million_years * million_years / (kiloparsec * kiloparsec * kiloparsec);
  const double got =
      acceleration_of_two<float>(where(), {.gravity = gravity}, 1, 1) * kiloparsec / million_years / million_years;
  EXPECT_NEAR(got / scale, 1, 1e-5) << "1.40189e-11";
  EXPECT_NEAR(scale / 1.40189e-11, 1, 2e-5);
  if (where().device().supports(dtype::f64)) {
    EXPECT_NEAR(acceleration_of_two<double>(where(), rules, 3.0857e19, 2e38) / 1.40189e-11, 1, 2e-5);
    tests::expect_error(fault::bad_argument, {"apart", "f64", "larger unit"},
                        [&] { acceleration_of_two<double>(where(), rules, 1e160, 1e300); });
  }
}

TEST_P(Units, what_fits_is_taken) {
  const double got = acceleration_of_two<float>(where(), {.gravity = si}, 1.496e11f, 1.989e30f);
  EXPECT_NEAR(got / (si * 1.989e30 / 1.496e11 / 1.496e11), 1, 1e-5) << "the sun at the earth's distance";
  EXPECT_EQ(acceleration_of_two<float>(where(), {}, 1e25f, 1), 0) << "a body that has left: 1e-50 is 0 in f32";
}

}  // namespace
