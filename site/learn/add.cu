#include <cstdio>
#include <vector>

// Each thread adds one pair of elements.
__global__ void add(const float* a, const float* b, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

int main() {
  const int n = 1000;
  std::vector<float> a(n, 1.0f), b(n, 2.0f), sum(n);
  float *device_a, *device_b, *device_sum;
  cudaMalloc(&device_a, n * sizeof(float));
  cudaMalloc(&device_b, n * sizeof(float));
  cudaMalloc(&device_sum, n * sizeof(float));
  cudaMemcpy(device_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(device_a, device_b, device_sum, n);
  cudaMemcpy(sum.data(), device_sum, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("the first sum is %g, the last is %g\n", sum[0], sum[n - 1]);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_sum);
}
