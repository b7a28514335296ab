// Memory that CUDA graphs own, and calls that must not be part of a capture.
//
// While a stream is being captured, cudaMallocAsync would become an allocation node of the graph: memory that exists
// only while the graph runs, and that no later call may use. Therefore a captured call gets memory that is allocated
// outside the capture. A user object of the graph keeps it until the graph and all its instances are destroyed. The
// user object's destructor must not call CUDA, so it puts the memory on a list. Later captures take memory from that
// list, and the next call that allocates frees the part of it beyond a bound.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

namespace upsweep::cuda {

// While it exists, the calling thread may make calls that a capture in global mode forbids for every thread, and that
// one in thread-local mode forbids for its own: allocate, free, load code, wait for another stream. None of them is
// captured.
class outside_of_captures {
 public:
  outside_of_captures() : exchanged_(exchange()) {}
  ~outside_of_captures() {
    if (exchanged_) exchange();
  }
  outside_of_captures(const outside_of_captures&) = delete;
  outside_of_captures& operator=(const outside_of_captures&) = delete;

 private:
  bool exchange() {
    const bool done = cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess;
    if (!done) cudaGetLastError();
    return done;
  }
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  bool exchanged_;
};

// The graph that the stream is being captured into owns a copy of `what` until it and all its instances are destroyed.
// The destructor of *what must not call CUDA.
void keep_with_graph(cudaStream_t captured, std::shared_ptr<const void> what);

// The memory of one GPU, for the whole process.
class graph_memory {
 public:
  // The GPU must be the calling thread's current one.
  static graph_memory& of(int gpu);

  // A block, and the graph's claim on it. `claim` is null if only the graph keeps the block.
  struct block {
    void* base = nullptr;
    cudaUserObject_t claim{};
  };
  // `bytes` for the graph that the stream is being captured into. Zeroed: once, before the graph first runs. A block
  // with a claim is kept until both the graph is destroyed and the claim is released (cudaUserObjectRelease).
  block take(cudaStream_t captured, std::uint64_t bytes, bool zeroed, bool with_claim);
  // Like take() above, with these contents.
  block take(cudaStream_t captured, std::span<const std::byte> contents);

  // Frees memory of graphs that were destroyed: all of it, or the part beyond the bound. Returns the number of bytes.
  std::uint64_t free_idle(bool all) noexcept;
  std::uint64_t held() const;  // by graphs, and idle

 private:
  struct owned {
    graph_memory* home;
    void* base;
    std::uint64_t bytes;
    owned* next;  // of the idle ones
  };
  explicit graph_memory(int gpu);
  static void give_back(void* it);  // the user object's destructor
  void* idle_or_new(std::uint64_t bytes, std::uint64_t& has);
  void enqueue_and_wait(cudaError_t (*what)(void* to, const void* from, std::size_t bytes, cudaStream_t), void* to,
                        const void* from, std::uint64_t bytes);
  block bound_to(cudaStream_t captured, void* base, std::uint64_t bytes, bool with_claim);

  const int gpu_;
  std::uint64_t most_idle_ = 0;
  std::mutex helper_lock_;
  cudaStream_t helper_{};
  mutable std::mutex lock_;  // held for no call of CUDA's: the destructor takes it
  owned* idle_ = nullptr;
  std::uint64_t held_ = 0, idle_bytes_ = 0;
};

}  // namespace upsweep::cuda
