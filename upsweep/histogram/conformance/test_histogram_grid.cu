// histogram_2d and histogram_nd of device memory under nvcc. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <random>

#include "tests/on_cuda.hpp"
#include "upsweep/histogram_2d.hpp"

namespace {

using namespace upsweep;

struct GridCuda : tests::on_cuda {};

TEST_F(GridCuda, AsOnTheCpu) {
  const context gpu = context::cuda(), cpu = context::cpu();
  const std::vector<float> edges{-0.9f, 0.1f, 0.2f, 0.95f};
  for (const std::uint64_t n : {0, 1, 1000, 300007}) {
    std::mt19937_64 random(n);
    std::vector<float> x(n), y(n);
    std::vector<std::uint8_t> z(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(random() % 2400) / 1000 - 1.2f;
      y[i] = static_cast<float>(random() % 2000) / 1000 - 1;
      z[i] = static_cast<std::uint8_t>(random());
    }
    const buffer<float> x_there(gpu, x), y_there(gpu, y), edges_there(gpu, edges);
    const buffer<std::uint8_t> z_there(gpu, z);
    std::vector<std::uint64_t> pairs(30), triples(48);
    buffer<std::uint64_t> pairs_there(gpu, 30), triples_there(gpu, 48);
    const auto ten = even_bins(-1.0f, 1.0f, 10), four = even_bins(-1.0f, 1.0f, 4);
    histogram_2d(cpu, x, y, pairs, ten, edges);
    histogram_2d(gpu, x_there, y_there, pairs_there, ten, edges_there);
    EXPECT_EQ(pairs_there.download(), pairs) << n;
    const auto by_value = even_bins(0, 256, 4);
    histogram_nd(cpu, triples, grid_axis(x, four), grid_axis(y, edges), grid_axis(z, by_value));
    histogram_nd(gpu, triples_there, grid_axis(x_there, four), grid_axis(y_there, edges_there),
                 grid_axis(z_there, by_value));
    EXPECT_EQ(triples_there.download(), triples) << n;
  }
}

}  // namespace
