// Stream and memory of a CUDA program: raw pointers, Thrust's vectors, and a graph. Calls are enqueued in the program's
// stream, in order with its own kernels, and wait only where documented.
#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/sequence.h>

#include "show.hpp"

using namespace upsweep;

__global__ void doubled(float* x, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

void require(cudaError_t status) {
  if (status != cudaSuccess) throw error(fault::device_failure, "interop", cudaGetErrorString(status));
}

struct latest_set {  // a user-defined operator, compiled by nvcc
  UPSWEEP_HD int operator()(int a, int b) const { return b ? b : a; }
  UPSWEEP_HD static int identity() { return 0; }
};

int main() {
  return show::run([] {
    constexpr std::uint64_t n = 1'000'000;
    cudaStream_t stream;
    require(cudaStreamCreate(&stream));
    {
      const context gpu = context::cuda_on_stream(stream);

      // Raw pointers, between kernels of the program.
      float* x;
      require(cudaMalloc(&x, n * sizeof(float)));
      const std::vector<float> ones(n, 1);
      require(cudaMemcpyAsync(x, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
      doubled<<<(n + 255) / 256, 256, 0, stream>>>(x, n);
      const device_span<float> span(x, n);
      inclusive_scan(gpu, span, span);
      doubled<<<(n + 255) / 256, 256, 0, stream>>>(x, n);
      float last;
      require(cudaMemcpyAsync(&last, x + n - 1, sizeof last, cudaMemcpyDeviceToHost, stream));
      require(cudaStreamSynchronize(stream));
      show::verdict("raw pointers on a stream", last == 4.0f * n);

      // Thrust's vectors.
      thrust::device_vector<int> seen(n, 0), filled(n);
      seen[10] = 7, seen[500'000] = 9;
      inclusive_scan(gpu, device_span<const int>(thrust::raw_pointer_cast(seen.data()), n),
                     device_span<int>(thrust::raw_pointer_cast(filled.data()), n), latest_set{});
      gpu.synchronize();
      show::verdict("a thrust::device_vector",
                    filled[9] == 0 && filled[10] == 7 && filled[499'999] == 7 && filled[n - 1] == 9);

      // A graph. The first call of a shape allocates its scratch memory; calls captured afterwards allocate none.
      thrust::device_vector<std::uint32_t> keys(n);
      const device_span<std::uint32_t> to_sort(thrust::raw_pointer_cast(keys.data()), n);
      inclusive_scan(gpu, to_sort, to_sort);
      gpu.synchronize();
      cudaGraph_t graph;
      cudaGraphExec_t ready;
      require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
      inclusive_scan(gpu, to_sort, to_sort);
      inclusive_scan(gpu, to_sort, to_sort, maximum{});
      require(cudaStreamEndCapture(stream, &graph));
      require(cudaGraphInstantiate(&ready, graph, 0));
      for (int round = 0; round < 3; ++round) {
        thrust::fill(keys.begin(), keys.end(), round + 1u);
        require(cudaDeviceSynchronize());  // Thrust uses another stream
        require(cudaGraphLaunch(ready, stream));
        require(cudaStreamSynchronize(stream));
        show::verdict("a graph", keys[n - 1] == (round + 1u) * n);
      }
      require(cudaGraphExecDestroy(ready));
      require(cudaGraphDestroy(graph));
      require(cudaFree(x));
      std::printf("raw pointers, thrust::device_vector and a graph on %s\n", gpu.description().c_str());
    }
    require(cudaStreamDestroy(stream));
  });
}
