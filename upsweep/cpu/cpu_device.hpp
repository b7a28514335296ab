// The CPU as a device. Its memory is host memory, its queue executes at once, and its threads are a oneTBB arena of the
// requested size.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <memory>
#include <optional>
#include <vector>

#include "upsweep/context.hpp"

namespace upsweep::cpu {

// While it exists, oneTBB may use that many threads. Without it the limit is the number of processors.
class more_threads {
 public:
  explicit more_threads(int threads);
  ~more_threads();
  more_threads(const more_threads&) = delete;
  more_threads& operator=(const more_threads&) = delete;

 private:
  int threads_;
};

class device final : public upsweep::device {
 public:
  explicit device(int threads);
  device(const device& opened, const stream_and_memory&);  // the same threads
  ~device() override { release_scratch(); }

  std::string name() const override { return "cpu"; }
  std::string description() const override;
  std::uint64_t total_memory() const override;
  std::uint64_t free_memory() const override;

  memory allocate(std::uint64_t bytes) override;
  void deallocate(memory) noexcept override;
  void upload(memory to, const void* from, std::uint64_t bytes) override;
  void download(void* to, memory from, std::uint64_t bytes) override;
  void copy(memory to, memory from, std::uint64_t bytes) override;
  void fill(memory to, unsigned char byte, std::uint64_t bytes) override;
  void synchronize() override {}
  double seconds(const std::function<void()>& enqueue) override;

  // The number of threads that may work at once, including the caller. A loop may get fewer.
  int threads() const { return threads_; }
  oneapi::tbb::task_arena& arena() { return *arena_; }

 private:
  std::shared_ptr<upsweep::device> make_with(const stream_and_memory&) override;

  int threads_;
  std::optional<more_threads> more_threads_;
  std::shared_ptr<oneapi::tbb::task_arena> arena_;
};

std::shared_ptr<upsweep::device> open_device(int threads);
void list_devices(std::vector<device_listing>&);

}  // namespace upsweep::cpu
