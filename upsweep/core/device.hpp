// The interface of a device that every backend implements: memory, an in-order queue, cached scratch, a clock. Users
// hold a context (context.hpp); algorithms and the catalog use the device of that context.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/error.hpp"
#include "upsweep/types.hpp"

namespace upsweep {

enum class backend : std::uint8_t { cpu, cuda, opencl };

constexpr std::string_view name_of(backend b) {
  constexpr std::string_view names[]{"cpu", "cuda", "opencl"};
  return names[static_cast<int>(b)];
}

// Identifies the devices that can read an allocation: a number that a device and its allocations share. 0: unknown, as
// for an address that the caller passed. Contexts on one GPU share a number, and so do all CPU contexts; each OpenCL
// context has its own.
using memory_owner = std::uintptr_t;

// A position in a device's memory. On the CPU and with CUDA `base` is an address; with OpenCL it is a cl_mem.
struct memory {
  void* base = nullptr;
  std::uint64_t offset = 0;  // bytes
  memory_owner owner = 0;

  memory plus_bytes(std::uint64_t bytes) const { return {base, offset + bytes, owner}; }
  // CPU and CUDA only.
  void* address() const { return static_cast<char*>(base) + offset; }
  template <class T>
  T* as() const {
    return static_cast<T*>(address());
  }
};

namespace core {
constexpr memory_owner owned_by_cpu = 1;
constexpr memory_owner owned_by_cuda(int index) { return 2 + 4 * static_cast<memory_owner>(index); }
inline memory_owner owned_by_opencl(const void* its_context) { return reinterpret_cast<memory_owner>(its_context) | 3; }
constexpr bool is_owned_by_opencl(memory_owner owner) { return owner % 4 == 3; }
}  // namespace core

class memory_resource;  // upsweep/memory.hpp

// The caller's replacements for the device's own resources: a stream or queue, and a memory resource.
struct stream_and_memory {
  std::optional<void*> stream = {};  // cudaStream_t or cl_command_queue
  memory_resource* resource = nullptr;
};

// A point in a device's queue.
class moment {
 public:
  virtual ~moment() = default;
  virtual bool passed() = 0;  // whether all work enqueued before it is done
  virtual void wait() = 0;
};

// Work enqueued on one device runs in the order of the calls. Several threads may use a device at once: each has its
// own scratch, and the order of work of different threads is unspecified.
class device {
 public:
  explicit device(backend kind, const stream_and_memory& given = {}) : kind_(kind), given_(given) {}
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  virtual ~device() = default;

  backend kind() const { return kind_; }
  virtual std::string name() const = 0;         // "cpu", "cuda:0", "opencl:1"
  virtual std::string description() const = 0;  // the name of the hardware
  virtual std::uint64_t total_memory() const = 0;
  virtual std::uint64_t free_memory() const = 0;
  // The owner that allocate() stores in memory.
  memory_owner owner() const { return owner_; }
  bool can_read(memory m) const { return m.owner == 0 || m.owner == owner_; }
  // Throws for memory that can_read() rejects. `operand` names it in the message: "the input".
  [[noreturn]] void refuse(memory_owner, std::string_view call, std::string_view operand) const;
  bool supports(dtype t) const { return t != dtype::f64 || has_f64_; }

  // Uninitialised memory, aligned to 256 bytes. The base is null for bytes == 0. Throws fault::out_of_memory with the
  // requested and the free number of bytes.
  virtual memory allocate(std::uint64_t bytes) = 0;
  virtual void deallocate(memory) noexcept = 0;

  // upload and download return when the host memory may be reused or read; copy and fill are enqueued.
  virtual void upload(memory to, const void* from, std::uint64_t bytes) = 0;
  virtual void download(void* to, memory from, std::uint64_t bytes) = 0;
  virtual void copy(memory to, memory from, std::uint64_t bytes) = 0;
  virtual void fill(memory to, unsigned char byte, std::uint64_t bytes) = 0;
  virtual void synchronize() = 0;

  // Records the work enqueued so far; null if all of it is done.
  virtual std::shared_ptr<moment> record() {
    synchronize();
    return nullptr;
  }
  // Work enqueued from now on starts after `m`.
  virtual void wait_for(moment& m) { m.wait(); }

  // A device for the same hardware that uses the caller's stream and memory. This device keeps one such device, with
  // its scratch, for each stream. A device that uses a memory resource is kept by the caller.
  std::shared_ptr<device> with(const stream_and_memory&);
  const stream_and_memory& given() const { return given_; }

  // The device time in seconds of the work that `enqueue` enqueues (CPU: wall clock). Returns when the work is done.
  virtual double seconds(const std::function<void()>& enqueue) = 0;

  // Named memory of the calling thread. It exists as long as the device, or until it is released as idle. It is zeroed
  // when it is allocated and when it grows (growing discards the contents); otherwise it holds the contents that the
  // last user of the name left. A second call of the same shape allocates nothing. During the capture of a CUDA graph
  // the memory belongs to that graph; no other graph and no later call uses it.
  memory scratch(std::string_view name, std::uint64_t bytes);
  std::uint64_t temporary_storage_bytes() const;  // held now, over all names
  // How often any scratch was allocated since the device was opened.
  std::uint64_t temporary_storage_allocations() const;
  // Releases cached scratch that no call uses, of every context on this hardware: the scratch of runs that have ended,
  // on all threads. With `between_calls`, which requires that the calling thread is in no call, also all scratch of
  // that thread. Returns the number of released bytes.
  std::uint64_t release_idle_scratch(bool between_calls) noexcept;
  // release_idle_scratch(true). CUDA also releases the memory that its pool and destroyed graphs still hold.
  virtual void trim() { release_idle_scratch(true); }

  // CUDA's id of the capture that this device's stream is in; 0 if the stream is not being captured.
  virtual std::uint64_t capture() const { return 0; }
  // Calls that wait for the device call this before they enqueue anything. Throws if the stream is being captured; the
  // capture remains valid.
  void require_no_capture(std::string_view call) const {
    if (kind_ == backend::cuda && capture() != 0) cannot_capture(call);
  }
  // During a capture: copies these bytes, outside of the capture, to memory that belongs to the graph.
  memory constant_of_capture(std::string_view name, std::span<const std::byte> bytes);
  // upload() that also works while the stream is being captured: the graph then copies these bytes whenever it runs.
  void upload_or_capture(memory to, const void* from, std::uint64_t bytes) {
    if (kind_ != backend::cuda || bytes == 0 || capture() == 0) return upload(to, from, bytes);
    copy(to, constant_for_capture({static_cast<const std::byte*>(from), bytes}), bytes);
  }

  // The name of the variant that ran last; null before the first run.
  std::atomic<const std::string_view*> last{nullptr};

 protected:
  bool has_f64_ = true;  // OpenCL devices may lack it
  memory_owner owner_ = 0;
  void release_scratch() noexcept;  // for the destructors of the backends

  virtual std::shared_ptr<device> make_with(const stream_and_memory&);
  // allocate() and deallocate() from the caller's memory resource.
  memory from_resource(std::uint64_t bytes);
  void to_resource(memory) noexcept;

  // Hooks for captures. The memory is zeroed each time the graph runs, or only once if nothing else uses it in between.
  virtual memory zeroed_for_capture(std::uint64_t bytes);
  virtual memory constant_for_capture(std::span<const std::byte> bytes);
  [[noreturn]] void cannot_capture(std::string_view call) const;
  // wait_for_scratch waits until no enqueued work uses this device's scratch; deallocate_unused then releases it. Both
  // also work if the device's stream was destroyed or is being captured.
  virtual void wait_for_scratch() { synchronize(); }
  virtual void deallocate_unused(memory m) noexcept { deallocate(m); }

 private:
  const backend kind_;
  const stream_and_memory given_;
  struct block {
    memory where;
    std::uint64_t bytes = 0;
    std::uint64_t call = 0;  // core::current_call() when scratch() returned the block last
  };
  std::uint64_t release_own_idle_scratch(bool between_calls);
  memory scratch_of_capture(std::uint64_t capture, std::string_view name, std::uint64_t bytes);
  memory known_to_capture(std::uint64_t capture, const std::string& key, std::uint64_t bytes);
  void know_to_capture(std::uint64_t capture, const std::string& key, memory, std::uint64_t bytes);
  void keep_within_bound(std::uint64_t grows_by);

  mutable std::mutex scratch_lock_;
  std::deque<std::map<std::string, block, std::less<>>> scratch_;  // indexed by thread_number()
  std::uint64_t scratch_allocations_ = 0;
  std::atomic<bool> listed_ = false;                      // release_idle_scratch visits listed devices
  std::uint64_t capture_ = 0;                             // the capture that owns the memory of:
  std::map<std::string, block, std::less<>> of_capture_;  // by thread and name, or by name and contents
  std::vector<memory> of_graphs_;                         // from a resource; kept as long as this device
  std::mutex by_stream_lock_;
  std::map<void*, std::shared_ptr<device>> by_stream_;
  std::map<std::pair<void*, std::uint64_t>, std::uint64_t> from_resource_;  // bytes, by base and offset
};

}  // namespace upsweep
