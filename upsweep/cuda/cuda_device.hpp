// A CUDA GPU: one in-order stream, memory from the device's pool, and times by events.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/context.hpp"

namespace upsweep::cuda {

// Throws the runtime's error, with a remedy if one is known (above all for a wrong architecture).
void check(cudaError_t status, const char* where);
// throw_failure() for a status of the driver, whose numbers equal the runtime's; `what` is the driver's own message.
[[noreturn]] void throw_failure(int status, const char* where, const std::string& what);

class device final : public upsweep::device {
 public:
  device(int index, cudaStream_t stream, bool callers_stream);
  device(const device& opened, const stream_and_memory&);
  ~device() override;

  std::string name() const override { return "cuda:" + std::to_string(index_); }
  std::string description() const override;
  std::uint64_t total_memory() const override;
  std::uint64_t free_memory() const override;

  memory allocate(std::uint64_t bytes) override;
  void deallocate(memory) noexcept override;
  void upload(memory to, const void* from, std::uint64_t bytes) override;
  void download(void* to, memory from, std::uint64_t bytes) override;
  void copy(memory to, memory from, std::uint64_t bytes) override;
  void fill(memory to, unsigned char byte, std::uint64_t bytes) override;
  void synchronize() override;
  std::shared_ptr<moment> record() override;
  void wait_for(moment&) override;
  double seconds(const std::function<void()>& enqueue) override;
  std::uint64_t capture() const override;
  void trim() override;

  cudaStream_t stream() const { return stream_; }
  int index() const { return index_; }
  int multiprocessors() const { return multiprocessors_; }
  int shared_bytes_per_multiprocessor() const { return shared_bytes_per_multiprocessor_; }
  // The limit of a block's shared memory: the device's, or less if UPSWEEP_CUDA_SHARED_LIMIT is set ("99K").
  std::uint64_t shared_limit() const { return shared_limit_; }

  // A property of a kernel on the device that its launches need, such as how many blocks fit at once. find() is
  // called the first time for each kernel, and for each form if one kernel is launched in several.
  template <class Kernel, class Find>
  int once(Kernel* kernel, const Find& find, int form = 0) const {
    const auto call = [](const void* f) -> int { return (*static_cast<const Find*>(f))(); };
    return find_once(reinterpret_cast<const void*>(kernel), form, call, &find);
  }

  // Whether this device runs code of that kernel that was compiled for Hopper or later, which has clusters and bulk
  // copies. Code that the driver translated from an older GPU's code has neither, whatever the device supports.
  template <class Kernel>
  bool has_clusters(Kernel* kernel) const {
    return compiled_for(reinterpret_cast<const void*>(kernel)) >= 90;
  }

  // Allows launches of the kernel to request that many bytes of shared memory; throws if blocks cannot have them.
  template <class Kernel>
  void allow_shared(Kernel* kernel, std::uint64_t bytes, const char* where) const {
    allow_shared_bytes(reinterpret_cast<const void*>(kernel), bytes, where);
  }

  // Makes this device the calling thread's current one. Every call that enqueues work calls it first.
  void make_current() const;

 private:
  std::shared_ptr<upsweep::device> make_with(const stream_and_memory&) override;
  memory zeroed_for_capture(std::uint64_t bytes) override;
  memory constant_for_capture(std::span<const std::byte> bytes) override;
  void wait_for_scratch() override;
  void deallocate_unused(memory) noexcept override;
  // Allocates with `attempt`, which returns a null base on failure. On failure it frees all released memory that is
  // unused and tries again.
  memory allocated(std::uint64_t bytes, const std::function<void*()>& attempt);
  [[noreturn]] void out_of_memory(std::uint64_t bytes) const;
  memory allocate_captured(std::uint64_t now, std::uint64_t bytes);
  void trim_pool() noexcept;
  bool capturing() noexcept;
  void release_set_aside() noexcept;
  static int compiled_for(const void* kernel);  // 80, 90
  void allow_shared_bytes(const void* kernel, std::uint64_t bytes, const char* where) const;
  int find_once(const void* kernel, int form, int (*call)(const void*), const void* find) const;

  int index_;
  cudaStream_t stream_;
  bool callers_stream_;
  cudaEvent_t start_{}, stop_{};
  int multiprocessors_ = 0, shared_bytes_per_multiprocessor_ = 0;
  std::uint64_t shared_limit_ = 0;
  bool has_pool_ = false, closing_ = false;
  mutable std::mutex found_lock_;
  mutable std::map<std::pair<const void*, int>, int> found_;

  // Buffers that were allocated while the stream was captured: both the graph and the buffer keep the memory.
  struct claimed {
    cudaUserObject_t claim;
    std::uint64_t capture, bytes;
  };
  std::mutex captured_lock_;
  std::map<void*, claimed> claims_;
  std::map<void*, claimed> reusable_;  // released within the capture: what comes later in it may use them
  std::vector<void*> set_aside_;       // other memory that was released during a capture
};

inline device& of(upsweep::device& d) { return static_cast<device&>(d); }

int device_count();
// Waits for all work of the calling thread's current GPU, also while streams are being captured. Returns false if there
// is no memory to wait with.
bool wait_for_gpu(int gpu) noexcept;
std::shared_ptr<upsweep::device> open_device(int index, void* stream, bool callers_stream);
void list_devices(std::vector<device_listing>&);

}  // namespace upsweep::cuda
