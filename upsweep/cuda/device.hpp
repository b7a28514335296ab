// A CUDA GPU: one stream, in order; memory from the device's pool; time by events.
#pragma once

#include <cuda_runtime.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "upsweep/context.hpp"

namespace upsweep::cuda {

// Throws what the runtime said, with a remedy where one is known (a wrong architecture above all).
void check(cudaError_t status, const char* where);

class device final : public upsweep::device {
 public:
  device(int index, cudaStream_t stream, bool callers_stream);
  device(const device& opened, const placement&);
  ~device() override;

  std::string name() const override { return "cuda:" + std::to_string(index_); }
  std::string description() const override;
  std::uint64_t total_memory() const override;
  std::uint64_t free_memory() const override;

  memory allocate(std::uint64_t bytes) override;
  void release(memory) noexcept override;
  void upload(memory to, const void* from, std::uint64_t bytes) override;
  void download(void* to, memory from, std::uint64_t bytes) override;
  void copy(memory to, memory from, std::uint64_t bytes) override;
  void fill(memory to, unsigned char byte, std::uint64_t bytes) override;
  void synchronize() override;
  std::shared_ptr<moment> record() override;
  void wait_for(moment&) override;
  double seconds(const std::function<void()>& enqueue) override;

  cudaStream_t stream() const { return stream_; }
  int index() const { return index_; }
  int multiprocessors() const { return multiprocessors_; }
  int shared_bytes_per_multiprocessor() const { return shared_bytes_per_multiprocessor_; }
  // Shared memory that a block may have: what the device says, or less where UPSWEEP_CUDA_SHARED_LIMIT says so ("99K").
  std::uint64_t shared_limit() const { return shared_limit_; }

  // A number that a kernel's launches need to know of the device, such as how many blocks it holds at once: find() is
  // called the first time for each kernel, and each form where one kernel is launched in several.
  template <class Kernel, class Find>
  int once(Kernel* kernel, const Find& find, int form = 0) const {
    const auto call = [](const void* f) -> int { return (*static_cast<const Find*>(f))(); };
    return find_once(reinterpret_cast<const void*>(kernel), form, call, &find);
  }

  // Whether the code of that kernel which this device runs was compiled for Hopper or later, and so has clusters and
  // bulk copies. What the driver translated from code for an older GPU has neither, whatever the device can do.
  template <class Kernel>
  bool has_clusters(Kernel* kernel) const {
    return compiled_for(reinterpret_cast<const void*>(kernel)) >= 90;
  }

  // Lets launches of the kernel ask for that many bytes of shared memory; throws where a block cannot have them.
  template <class Kernel>
  void allow_shared(Kernel* kernel, std::uint64_t bytes, const char* where) const {
    allow_shared_bytes(reinterpret_cast<const void*>(kernel), bytes, where);
  }

  // Makes this device the calling thread's current one; every call that enqueues begins with it.
  void make_current() const;

 private:
  std::shared_ptr<upsweep::device> make_placed(const placement&) override;
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
};

inline device& of(upsweep::device& d) { return static_cast<device&>(d); }

int device_count();
std::shared_ptr<upsweep::device> open_device(int index, void* stream, bool callers_stream);
void list_devices(std::vector<device_listing>&);

}  // namespace upsweep::cuda
