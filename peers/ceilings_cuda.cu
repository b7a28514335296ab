// The GPU's own limits: its copy engine's copy, plain kernels that copy, read or do nothing, memset, and two arithmetic
// rates.
#include <algorithm>
#include <limits>

#include "peers/ceilings.hpp"
#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::peers {

namespace {

constexpr int threads = 256;
constexpr int group = 8;  // 16-byte loads in flight a thread

__global__ void nothing() {}

__global__ void copy_vectors(const uint4* __restrict__ in, uint4* __restrict__ out, std::uint64_t count) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) out[i] = in[i];
}

__global__ void read_vectors(const uint4* __restrict__ in, std::uint64_t count, uint4* seen) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * threads * group;
  uint4 all{};
  for (std::uint64_t base = std::uint64_t{blockIdx.x} * threads * group + threadIdx.x;
       base + (group - 1) * threads < count; base += step) {
    uint4 x[group];
#pragma unroll
    for (int k = 0; k < group; ++k) x[k] = in[base + k * threads];
#pragma unroll
    for (int k = 0; k < group; ++k) all = {all.x ^ x[k].x, all.y ^ x[k].y, all.z ^ x[k].z, all.w ^ x[k].w};
  }
  // Never true for what was written there; the compiler cannot know, and must read.
  if (all.x == 0x12345678u && all.y == 0x9abcdef0u && all.z == 0x13579bdfu) *seen = all;
}

constexpr int chains = 8, turns = 4096;

__global__ void multiply_add(float a, float b, float* result) {
  float x[chains];
  for (int c = 0; c < chains; ++c) x[c] = static_cast<float>(threadIdx.x + c);
#pragma unroll 16
  for (int i = 0; i < turns; ++i)
#pragma unroll
    for (int c = 0; c < chains; ++c) x[c] = fmaf(x[c], a, b);
  float sum = 0;
  for (int c = 0; c < chains; ++c) sum += x[c];
  if (sum == 1.25f) *result = sum;
}

__global__ void reciprocal_roots(float* result) {
  float x[chains];
  for (int c = 0; c < chains; ++c) x[c] = static_cast<float>(threadIdx.x + c + 1);
#pragma unroll 16
  for (int i = 0; i < turns; ++i)
#pragma unroll
    for (int c = 0; c < chains; ++c) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x[c]));
  float sum = 0;
  for (int c = 0; c < chains; ++c) sum += x[c];
  if (sum == 1.25f) *result = sum;
}

}  // namespace

std::vector<ceiling> cuda_ceilings(device& d, std::uint64_t bytes, int repeats) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  const cudaStream_t stream = gpu.stream();
  const int sms = gpu.multiprocessors();
  const std::uint64_t count = bytes / sizeof(uint4);
  bytes = count * sizeof(uint4);
  const lent_memory a(d, bytes), b(d, bytes);
  d.fill(a.where(), 1, bytes);
  d.fill(b.where(), 2, bytes);
  const uint4* in = a.where().as<uint4>();
  uint4* out = b.where().as<uint4>();
  float* result = b.where().as<float>();

  // The write before each keeps the caches cold and covers the host's part of the launch.
  const auto time = [&](auto work) {
    d.seconds(work);
    double fastest = std::numeric_limits<double>::max();
    for (int i = 0; i < std::max(repeats, 1); ++i) {
      d.fill(b.where(), static_cast<unsigned char>(i), std::min<std::uint64_t>(bytes, 256u << 20));
      fastest = std::min(fastest, d.seconds(work));
    }
    upsweep::cuda::check(cudaGetLastError(), "cuda: a ceiling's kernel");
    return fastest;
  };
  // How many blocks read fastest differs between GPUs, so the best of a few is the ceiling.
  double read = time([&] { read_vectors<<<sms * 2, threads, 0, stream>>>(in, count, out); });
  for (int blocks : {4, 8, 16, 64})
    read = std::min(read, time([&] { read_vectors<<<sms * blocks, threads, 0, stream>>>(in, count, out); }));

  const double moved = static_cast<double>(bytes);
  const double operations = 32.0 * sms * threads * chains * turns;
  const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
  return {{"copy", limit::copy, time([&] { d.copy(b.where(), a.where(), bytes); }), 2 * moved,
           "memcpy device to device; read and written bytes"},
          {"copy kernel", limit::copy, time([&] { copy_vectors<<<blocks, threads, 0, stream>>>(in, out, count); }),
           2 * moved, "16 bytes a thread; read and written bytes"},
          {"read", limit::read, read, moved, "16-byte loads, the best of five grids"},
          {"write", limit::write, time([&] { d.fill(b.where(), 3, bytes); }), moved, "memset"},
          {"empty launch", limit::latency, time([&] { nothing<<<1, 1, 0, stream>>>(); }), 0, "between two events"},
          {"multiply-add f32", limit::arithmetic,
           time([&] { multiply_add<<<sms * 32, threads, 0, stream>>>(0.999f, 0.001f, result); }), operations,
           "multiply-adds in registers"},
          {"reciprocal root f32", limit::arithmetic,
           time([&] { reciprocal_roots<<<sms * 32, threads, 0, stream>>>(result); }), operations,
           "approximate reciprocal square roots in registers"}};
}

}  // namespace upsweep::peers
