// Boxes of floats on CUDA: which kernel takes them depends on their radii. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/summed_area_table.hpp"

namespace {

using namespace upsweep;
using floats = std::vector<float>;

floats random_floats(std::uint64_t n, std::uint64_t seed) {
  floats x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<float>(unit(mixed(i + seed * 1000003)));
  return x;
}

enum class box : std::uint8_t { sum, mean, variance };
template <class X, class Y>
void filter(const context& where, box what, const X& in, Y&& out, const image_layout& picture, extent radius) {
  switch (what) {
    case box::sum: return box_sum(where, in, out, picture, radius);
    case box::mean: return box_mean(where, in, out, picture, radius);
    case box::variance: return box_variance(where, in, out, picture, radius);
  }
}

struct BoxesOnCuda : tests::on_cuda {};

// As on the CPU, but for the last bit, and the same bits again.
void expect_right(box what, extent size, extent radius, const floats& x, double least) {
  const context gpu = context::cuda(), cpu = context::cpu();
  const image_layout picture{size};
  const buffer<float> in(gpu, x);
  buffer<float> out(gpu, x.size()), again(gpu, x.size());
  floats wanted(x.size());
  filter(gpu, what, in, out, picture, radius);
  filter(gpu, what, in, again, picture, radius);
  filter(cpu, what, x, wanted, picture, radius);
  const floats got = out.download(), more = again.download();
  std::uint64_t wrong = 0, other = 0;
  for (std::uint64_t i = 0; i < got.size(); ++i) {
    const bool none = std::isnan(wanted[i]);
    wrong += none ? !std::isnan(got[i])
                  : got[i] != wanted[i] && !(std::abs(got[i] - wanted[i]) <= 3e-7 * std::abs(wanted[i]) + least);
    other += none ? !std::isnan(more[i]) : got[i] != more[i];
  }
  EXPECT_EQ(wrong, 0u) << size.x << " x " << size.y << ", radii " << radius.x << " and " << radius.y;
  EXPECT_EQ(other, 0u) << size.x << " x " << size.y << ", radii " << radius.x << " and " << radius.y;
}

constexpr extent sizes[]{{1, 1}, {7, 5}, {33, 17}, {131, 67}, {256, 48}, {511, 309}};
constexpr extent radii[]{{1, 1}, {2, 2}, {3, 3},   {4, 4},   {5, 7},   {6, 31},
                         {7, 7}, {9, 2}, {12, 15}, {31, 31}, {31, 30}, {33, 4}};

TEST_F(BoxesOnCuda, AllRadiiAreRight) {
  for (const box what : {box::sum, box::mean, box::variance})
    for (const extent size : sizes)
      for (const extent radius : radii) expect_right(what, size, radius, random_floats(size.count(), 1), 1e-16);
  for (const extent radius : {extent{3, 3}, extent{7, 7}, extent{31, 31}})
    expect_right(box::mean, {2001, 1100}, radius, random_floats(2001 * 1100, 2), 0);
}

// Elements outside the box have no effect: neither a NaN, nor values so large that they would dominate the sum.
TEST_F(BoxesOnCuda, OnlyWhatIsInTheBoxMatters) {
  for (const box what : {box::sum, box::mean, box::variance})
    for (const extent size : sizes)
      for (const extent radius : radii) {
        floats x = random_floats(size.count(), 3);
        for (std::uint64_t i = 0; i < x.size(); ++i)
          if (mixed(i) % 499 == 0) x[i] = i % 2 ? 1e15f : std::numeric_limits<float>::quiet_NaN();
        expect_right(what, size, radius, x, 1e-16);
      }
}

// Far from zero and close together; and all alike, whose variance is none at all.
TEST_F(BoxesOnCuda, VariancesAreOfTheDistances) {
  for (const extent size : sizes)
    for (const extent radius : radii) {
      floats x = random_floats(size.count(), 4);
      for (float& v : x) v = 1000 + v / 1024;
      expect_right(box::variance, size, radius, x, 1e-15);
      expect_right(box::variance, size, radius, floats(size.count(), 1.0f / 3), 1e-24);
    }
}

TEST_F(BoxesOnCuda, AreRecordedInGraphs) {
  const extent size{203, 67};
  for (const extent radius : {extent{1, 1}, extent{7, 7}, extent{40, 3}}) {
    const tests::cuda_stream stream;
    const context gpu = context::cuda_on_stream(stream.handle()), other = context::cuda();
    buffer<float> in(gpu, random_floats(size.count(), 5)), means(gpu, size.count()), variances(gpu, size.count());
    const auto enqueue = [&] {
      box_mean(gpu, in, means, image_layout{size}, radius);
      box_variance(gpu, in, variances, image_layout{size}, radius);
    };
    enqueue();
    const tests::recording recorded(stream, enqueue);
    const floats x = random_floats(size.count(), 6);
    floats wanted_means(x.size()), wanted_variances(x.size());
    box_mean(other, x, wanted_means, image_layout{size}, radius);
    box_variance(other, x, wanted_variances, image_layout{size}, radius);
    in.upload(x);
    recorded.run();
    ASSERT_EQ(means.download(), wanted_means);
    ASSERT_EQ(variances.download(), wanted_variances);
  }
}

}  // namespace
