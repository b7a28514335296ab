#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <stop_token>
#include <thread>

#include "upsweep/conformance/occupying_kernels.hpp"
#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::cuda {

namespace {

constexpr int streams = 4, in_line = 2;                              // in_line: kernels of a stream at once
constexpr std::uint32_t longest_ns = 3'000'000;                      // that a block stays
constexpr unsigned most_blocks_of_a_multiprocessor = 4, whole = 32;  // blocks are of `whole` to 32 · whole threads

__host__ __device__ std::uint32_t scrambled(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// Each block stays up to `most_ns`, and by its number it sleeps all that time, or works in its shared memory.
__global__ void linger(std::uint32_t seed, std::uint32_t most_ns, std::uint32_t shared_words) {
  extern __shared__ std::uint32_t words[];
  const std::uint32_t random = scrambled(seed + blockIdx.x);
  const auto now = [] {
    std::uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
  };
  const std::uint64_t start = now(), stay = random % (most_ns + 1);
  volatile std::uint32_t* mine = words + threadIdx.x;
  const bool works = random >> 30 == 0 && threadIdx.x < shared_words;
  std::uint32_t x = random;
  while (now() - start < stay) {
    if (works)
      *mine = x = scrambled(x);
    else
      __nanosleep(2000);
  }
}

class lingering final : public crowd::kernels_beside {
 public:
  lingering(int device, std::uint64_t seed) : device_(device), random_(seed) {
    check(cudaSetDevice(device_), "a crowd");
    int multiprocessors = 0, shared = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device_), "a crowd");
    check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device_), "a crowd");
    check(cudaFuncSetAttribute(linger, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "a crowd");
    multiprocessors_ = static_cast<unsigned>(multiprocessors), shared_ = static_cast<unsigned>(shared);
    int last = 0, first = 0;
    check(cudaDeviceGetStreamPriorityRange(&last, &first), "a crowd");
    for (std::size_t s = 0; s < lines_.size(); ++s) {
      check(cudaStreamCreateWithPriority(&lines_[s].stream, cudaStreamNonBlocking, s % 2 ? first : last), "a crowd");
      for (cudaEvent_t& e : lines_[s].ends) check(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), "a crowd");
    }
    comes_and_goes_ = std::jthread([this](const std::stop_token& stop) { come_and_go(stop); });
  }
  ~lingering() override {
    if (comes_and_goes_.joinable()) comes_and_goes_.request_stop(), comes_and_goes_.join();
    cudaSetDevice(device_);
    for (line& l : lines_) {
      if (l.stream) cudaStreamSynchronize(l.stream);
      for (cudaEvent_t e : l.ends)
        if (e) cudaEventDestroy(e);
      if (l.stream) cudaStreamDestroy(l.stream);
    }
  }
  std::uint64_t started() const override { return started_; }
  std::string failure() const override {
    const auto status = static_cast<cudaError_t>(failed_.load());
    return status == cudaSuccess ? std::string() : cudaGetErrorString(status);
  }

 private:
  struct line {
    cudaStream_t stream = nullptr;
    std::array<cudaEvent_t, in_line> ends{};  // of its last kernels, in turn
    unsigned turn = 0;
  };

  void come_and_go(const std::stop_token& stop) {
    cudaError_t status = cudaSetDevice(device_);
    while (status == cudaSuccess && !stop.stop_requested()) {
      line& l = lines_[random_() % lines_.size()];
      cudaEvent_t end = l.ends[l.turn % in_line];
      const cudaError_t before = cudaEventQuery(end);
      if (before == cudaSuccess) {
        status = enter(l.stream);
        if (status == cudaSuccess) status = cudaEventRecord(end, l.stream);
        if (status == cudaSuccess) ++l.turn, ++started_;
      } else if (before == cudaErrorNotReady) {
        cudaGetLastError();
      } else {
        status = before;
      }
      // From time to time no kernel is launched for a while, so that the tested kernels make progress.
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % (random_() % 16 ? 300 : 5000)));
    }
    failed_ = status;
  }

  // Most kernels are a few blocks for a short while; one in eight fills the device but for a corner.
  cudaError_t enter(cudaStream_t stream) {
    const bool fills = random_() % 8 == 0;
    const auto below = [&](std::uint64_t n) { return static_cast<unsigned>(random_() % n); };
    const unsigned all = most_blocks_of_a_multiprocessor * multiprocessors_;
    const unsigned blocks = fills ? multiprocessors_ * 2 - below(multiprocessors_) : 1 + below(1 + below(all));
    const unsigned threads = fills ? 1024 : whole * (1 + below(32));
    const unsigned shared = below(fills || random_() % 2 ? shared_ + 1 : 1024);
    const std::uint32_t stay = below(random_() % 4 ? 50'000 : longest_ns);
    linger<<<blocks, threads, shared, stream>>>(static_cast<std::uint32_t>(random_()), stay, shared / 4);
    return cudaPeekAtLastError() == cudaSuccess ? cudaSuccess : cudaGetLastError();
  }

  const int device_;
  unsigned multiprocessors_ = 0, shared_ = 0;
  std::mt19937_64 random_;
  std::array<line, streams> lines_;
  std::atomic<std::uint64_t> started_{0};
  std::atomic<int> failed_{cudaSuccess};
  std::jthread comes_and_goes_;
};

}  // namespace

std::unique_ptr<crowd::kernels_beside> kernels_beside(int device, std::uint64_t seed) {
  return std::make_unique<lingering>(device, seed);
}

}  // namespace upsweep::cuda
