// An element that is infinite or NaN spoils the results whose windows it is in and no others, by every variant, FFT and
// products of rows and columns included. On every device.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/convolve.hpp"

namespace {

using namespace upsweep;

class NotFinite : public tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, NotFinite, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T>
void expect_in_windows(const context& where, extent size, extent of_mask, bool splits, border edge, std::uint32_t c) {
  std::vector<T> weights(of_mask.count());
  for (std::uint64_t i = 0; i < weights.size(); ++i) {
    const auto at = [](std::uint64_t k) { return static_cast<T>(1 + unit(mixed(k))); };
    weights[i] = splits ? at(i % of_mask.x) * at(i / of_mask.x + 100) : at(i + 1000);
  }
  const mask<T> m(of_mask, weights);
  const image_layout r(size, c);
  std::vector<T> clean(size.count() * c), out(clean.size()), right(clean.size());
  for (std::uint64_t i = 0; i < clean.size(); ++i) clean[i] = static_cast<T>(unit(mixed(i + 5)));
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  struct odd {
    std::uint64_t at;
    T value;
  };
  const odd odds[]{{size.count() / 2 * c, nan},
                   {0, infinity},
                   {(size.count() / 2 + of_mask.x / 2 + 1) * c, infinity},
                   {clean.size() - 1, -infinity}};
  auto in = clean;
  for (const odd& o : odds) in[o.at] = o.value, clean[o.at] = 0;
  correlate(where, clean, r, m, right, edge);
  correlate(where, in, r, m, out, edge);
  for (std::uint64_t i = 0; i < out.size(); ++i) {
    const auto x = static_cast<std::int64_t>(i / c % size.x), y = static_cast<std::int64_t>(i / c / size.x);
    T sum = 0;
    for (std::int64_t j = 0; j < static_cast<std::int64_t>(of_mask.y); ++j)
      for (std::int64_t k = 0; k < static_cast<std::int64_t>(of_mask.x); ++k) {
        const std::int64_t from_x = border_index(edge, x + k - static_cast<std::int64_t>(of_mask.x / 2),
                                                 static_cast<std::int64_t>(size.x)),
                           from_y = border_index(edge, y + j - static_cast<std::int64_t>(of_mask.y / 2),
                                                 static_cast<std::int64_t>(size.y));
        if (from_x < 0 || from_y < 0) continue;
        const std::uint64_t at =
            (static_cast<std::uint64_t>(from_y) * size.x + static_cast<std::uint64_t>(from_x)) * c + i % c;
        if (!std::isfinite(in[at])) sum += in[at];
      }
    const auto near = static_cast<T>(1e-5) * static_cast<T>(of_mask.count());
    if (sum == 0)
      ASSERT_FALSE(!(std::abs(out[i] - right[i]) <= near)) << out[i] << " for " << right[i] << " at " << x << ", " << y;
    else if (std::isnan(sum))
      ASSERT_TRUE(std::isnan(out[i])) << out[i] << " at " << x << ", " << y;
    else
      ASSERT_EQ(out[i], sum) << "at " << x << ", " << y;
  }
}

TEST_P(NotFinite, elements_stay_in_the_windows_that_they_are_in) {
  for (const extent of_mask : {extent{3, 3}, extent{7, 5}, extent{13, 13}, extent{25, 31}})
    for (const bool splits : {false, true}) {
      // OpenCL kernels are compiled for each mask.
      if (where().kind() == backend::opencl && of_mask.x != 7 && of_mask.x != 25) continue;
      SCOPED_TRACE(testing::Message() << of_mask.x << " x " << of_mask.y << (splits ? ", splits" : ""));
      expect_in_windows<float>(where(), {101, 83}, of_mask, splits, border::zero, 1);
      expect_in_windows<float>(where(), {70, 67}, of_mask, splits, border::mirror, 3);
      if (where().device().supports(dtype::f64))
        expect_in_windows<double>(where(), {90, 71}, of_mask, splits, border::wrap, 1);
    }
  for (const std::uint64_t wide : {5u, 64u, 700u}) {
    SCOPED_TRACE(testing::Message() << "a row of " << wide);
    expect_in_windows<float>(where(), {6000, 1}, {wide, 1}, false, border::clamp, 1);
  }
}

}  // namespace
