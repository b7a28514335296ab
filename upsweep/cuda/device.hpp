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
  double seconds(const std::function<void()>& enqueue) override;

  cudaStream_t stream() const { return stream_; }
  int index() const { return index_; }
  int multiprocessors() const { return multiprocessors_; }
  int shared_bytes_per_multiprocessor() const { return shared_bytes_per_multiprocessor_; }
  // Whether the device has Hopper's bulk copies between global and shared memory.
  bool has_bulk_copy() const { return major_ >= 9; }

  // A number that a kernel's launches need to know of the device, such as how many blocks it holds at once: find() is
  // called the first time for each kernel, and each form where one kernel is launched in several.
  template <class Kernel, class Find>
  int once(Kernel* kernel, const Find& find, int form = 0) const {
    const auto call = [](const void* f) -> int { return (*static_cast<const Find*>(f))(); };
    return find_once(reinterpret_cast<const void*>(kernel), form, call, &find);
  }

  // Makes this device the calling thread's current one; every call that enqueues begins with it.
  void make_current() const;

 private:
  int find_once(const void* kernel, int form, int (*call)(const void*), const void* find) const;

  int index_;
  cudaStream_t stream_;
  bool callers_stream_;
  cudaEvent_t start_{}, stop_{};
  int major_ = 0, multiprocessors_ = 0, shared_bytes_per_multiprocessor_ = 0;
  bool has_pool_ = false;
  mutable std::mutex found_lock_;
  mutable std::map<std::pair<const void*, int>, int> found_;
};

inline device& of(upsweep::device& d) { return static_cast<device&>(d); }

int device_count();
std::shared_ptr<upsweep::device> open_device(int index, void* stream, bool callers_stream);
void list_devices(std::vector<device_listing>&);

}  // namespace upsweep::cuda
