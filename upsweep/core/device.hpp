// One device as every backend presents it to the rooms: memory, an in-order queue, scratch that is kept, a clock.
// Users hold a context (context.hpp); rooms and the catalog work on the device behind it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "upsweep/error.hpp"
#include "upsweep/types.hpp"

namespace upsweep {

enum class backend : std::uint8_t { cpu, cuda, opencl };

constexpr std::string_view name_of(backend b) {
  constexpr std::string_view names[]{"cpu", "cuda", "opencl"};
  return names[static_cast<int>(b)];
}

// A place in a device's memory. On the CPU and under CUDA `base` is an address; under OpenCL it is a cl_mem.
struct memory {
  void* base = nullptr;
  std::uint64_t offset = 0;  // bytes

  memory plus_bytes(std::uint64_t bytes) const { return {base, offset + bytes}; }
  // CPU and CUDA only.
  void* address() const { return static_cast<char*>(base) + offset; }
  template <class T>
  T* as() const {
    return static_cast<T*>(address());
  }
};

struct scratch_use {
  std::uint64_t bytes = 0;        // held now, over all names
  std::uint64_t allocations = 0;  // times any of it was allocated since the device was opened
};

class memory_resource;  // upsweep/memory.hpp

// What a caller may give in place of a device's own: a stream or queue to work in, and where memory comes from.
struct placement {
  std::optional<void*> stream = {};  // cudaStream_t or cl_command_queue
  memory_resource* resource = nullptr;
};

// A point in a device's queue.
class moment {
 public:
  virtual ~moment() = default;
  virtual bool passed() = 0;  // whether all that was enqueued before it has run
  virtual void wait() = 0;
};

// Work given to one device runs in the order given. Several threads may use a device at once: each has scratch of its
// own, and what is enqueued runs in one order or another of their calls.
class device {
 public:
  explicit device(backend kind, const placement& given = {}) : kind_(kind), given_(given) {}
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  virtual ~device() = default;

  backend kind() const { return kind_; }
  virtual std::string name() const = 0;         // "cpu", "cuda:0", "opencl:1"
  virtual std::string description() const = 0;  // the hardware's own name
  virtual std::uint64_t total_memory() const = 0;
  virtual std::uint64_t free_memory() const = 0;
  bool supports(dtype t) const { return t != dtype::f64 || has_f64_; }

  // Uninitialised memory, aligned to 256 bytes; bytes == 0 gives a null base. Throws fault::out_of_memory with bytes
  // asked and free.
  virtual memory allocate(std::uint64_t bytes) = 0;
  virtual void release(memory) noexcept = 0;

  // upload and download return when the host memory may be reused or read; copy and fill are enqueued.
  virtual void upload(memory to, const void* from, std::uint64_t bytes) = 0;
  virtual void download(void* to, memory from, std::uint64_t bytes) = 0;
  virtual void copy(memory to, memory from, std::uint64_t bytes) = 0;
  virtual void fill(memory to, unsigned char byte, std::uint64_t bytes) = 0;
  virtual void synchronize() = 0;

  // What was enqueued so far; null where all of it has run.
  virtual std::shared_ptr<moment> record() {
    synchronize();
    return nullptr;
  }
  // What is enqueued from now on comes after `m`.
  virtual void wait_for(moment& m) { m.wait(); }

  // The same hardware, with a stream and memory of a caller's. Of each stream one is kept as long as this device, with
  // its scratch; what takes memory from a resource is the caller's to keep.
  std::shared_ptr<device> placed(const placement&);
  const placement& given() const { return given_; }

  // Device time of what `enqueue` enqueues, in seconds; returns when it has run. (CPU: the wall clock.)
  virtual double seconds(const std::function<void()>& enqueue) = 0;

  // Memory of the calling thread's that lives as long as the device, by name; it is zeroed when it is first made or
  // grows (growing loses its contents), and otherwise holds what the last user of that name left. A second call of the
  // same shape allocates nothing.
  memory scratch(std::string_view name, std::uint64_t bytes);
  scratch_use scratch_used() const;

  // The name of the variant that ran last; null before the first.
  std::atomic<const std::string_view*> last{nullptr};

 protected:
  bool has_f64_ = true;             // OpenCL devices may lack it
  void release_scratch() noexcept;  // for the destructors of the backends

  virtual std::shared_ptr<device> make_placed(const placement&);
  // What allocate and release do where a resource was given.
  memory from_resource(std::uint64_t bytes);
  void to_resource(memory) noexcept;

 private:
  const backend kind_;
  const placement given_;
  struct block {
    memory where;
    std::uint64_t bytes = 0;
  };
  mutable std::mutex scratch_lock_;
  std::deque<std::map<std::string, block, std::less<>>> scratch_;  // by the thread's number
  std::uint64_t scratch_allocations_ = 0;
  std::mutex placed_lock_;
  std::map<void*, std::shared_ptr<device>> by_stream_;
  std::map<std::pair<void*, std::uint64_t>, std::uint64_t> from_resource_;  // bytes, by base and offset
};

}  // namespace upsweep
