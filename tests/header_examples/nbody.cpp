#include "upsweep/nbody.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(nbody, everywhere) {
  const std::vector<float> x{-1, 1}, y{0, 0}, z{0, 0}, mass{1, 2};
  std::vector<float> ax(2), ay(2), az(2);
#include "nbody.example"
  EXPECT_EQ(now.size(), 2u);
  EXPECT_NEAR(s.time(), 1, 1e-3);
  EXPECT_LT(std::abs(drift), 1e-3);
  EXPECT_NEAR(ax[0], 0.5f, 1e-5f);
  EXPECT_NEAR(ax[1], -0.25f, 1e-5f);
}

HEADER_EXAMPLE(nbody_on_device, everywhere) {
  const auto numbers = [&](float first, float second) {
    return upsweep::buffer<float>(gpu, std::vector{first, second});
  };
  upsweep::buffer<float> x = numbers(-1, 1), y = numbers(0, 0), z = numbers(0, 0), vx = numbers(0, 0),
                         vy = numbers(-1, 1), vz = numbers(0, 0), mass = numbers(4, 4), ax = numbers(0, 0),
                         ay = numbers(0, 0), az = numbers(0, 0);
  std::uint64_t drawn = 0;
  const auto draw = [&](const auto& positions) { drawn = positions.size(); };
#include "nbody.2.example"
  EXPECT_EQ(drawn, 2u);
  EXPECT_NEAR(ax.download()[0], 1, 1e-5f);
}
