// Convolutions inside graphs: what waits for the host cannot be recorded. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/convolve.hpp"
#include "upsweep/proof/samples.hpp"

namespace {

using namespace upsweep;
using floats = std::vector<float>;

floats random_floats(std::uint64_t n, std::uint64_t seed) {
  floats x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<float>(unit(mixed(i + seed * 1000003)));
  return x;
}

struct ConvolveCuda : tests::on_cuda {};

TEST_F(ConvolveCuda, IsRecordedInGraphs) {
  const extent size{131, 67};
  // The sum of products of rows and columns, and one that is not.
  for (const mask<float>& m :
       {mask<float>({3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1}), mask<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10}),
        mask<float>({21, 21}, floats(441, 0.25f))}) {
    const tests::cuda_stream stream;
    const context gpu = context::cuda_on_stream(stream.handle()), other = context::cuda();
    buffer<float> in(gpu, random_floats(size.count(), 1)), out(gpu, size.count());
    const auto enqueue = [&] { convolve(gpu, in, raster{size}, m, out, border::mirror); };
    enqueue();
    const tests::recording recorded(stream, enqueue);
    for (std::uint64_t seed = 2; seed < 5; ++seed) {
      const floats x = random_floats(size.count(), seed);
      floats wanted(size.count());
      convolve(other, x, raster{size}, m, wanted, border::mirror);
      in.upload(x);
      recorded.run();
      ASSERT_EQ(out.download(), wanted) << "seed " << seed;
    }
  }
}

}  // namespace
