// Convolutions inside graphs: what waits for the host cannot be recorded. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/convolve.hpp"
#include "upsweep/cuda/device.hpp"
#include "upsweep/proof/samples.hpp"

namespace {

using namespace upsweep;
using floats = std::vector<float>;

floats random_floats(std::uint64_t n, std::uint64_t seed) {
  floats x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<float>(unit(mixed(i + seed * 1000003)));
  return x;
}

TEST(ConvolveCuda, IsRecordedInGraphs) {
  const auto names = tests::device_names();
  if (std::find(names.begin(), names.end(), "cuda:0") == names.end()) GTEST_SKIP() << "there is no CUDA GPU";
  const extent size{131, 67};
  // The sum of products of rows and columns, and one that is not.
  for (const mask<float>& m :
       {mask<float>({3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1}), mask<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10}),
        mask<float>({21, 21}, floats(441, 0.25f))}) {
    cudaStream_t stream{};
    cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    {
      const context gpu = context::cuda_on_stream(stream), other = context::cuda();
      buffer<float> in(gpu, random_floats(size.count(), 1)), out(gpu, size.count());
      const auto enqueue = [&] { convolve(gpu, in, raster{size}, m, out, border::mirror); };
      enqueue();
      cudaGraph_t graph{};
      cudaGraphExec_t ready{};
      cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
      enqueue();
      cuda::check(cudaStreamEndCapture(stream, &graph), "end capture");
      cuda::check(cudaGraphInstantiate(&ready, graph, 0), "instantiate");
      for (std::uint64_t seed = 2; seed < 5; ++seed) {
        const floats x = random_floats(size.count(), seed);
        floats wanted(size.count());
        convolve(other, x, raster{size}, m, wanted, border::mirror);
        in.upload(x);
        cuda::check(cudaGraphLaunch(ready, stream), "launch");
        cuda::check(cudaStreamSynchronize(stream), "synchronize");
        ASSERT_EQ(out.download(), wanted) << "seed " << seed;
      }
      cudaGraphExecDestroy(ready);
      cudaGraphDestroy(graph);
    }
    cudaStreamDestroy(stream);
  }
}

}  // namespace
