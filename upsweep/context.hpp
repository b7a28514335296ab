// context: where work runs. A context owns a device's queue or stream, its threads, its scratch memory and the choice
// of variants. Every call takes one as its first argument.
//
//   auto gpu = upsweep::context::cuda(0);
//   auto cpu = upsweep::context::cpu();        // all threads this process may use
//   auto any = upsweep::context::best();       // a CUDA GPU, else an OpenCL GPU, else the CPU
//
// Contexts are cheap to copy; copies share the device. Threads may share a context: each of their calls is correct on
// its own, with scratch that belongs to the thread, and on a GPU their work runs in one queue. With one context for
// each thread, the GPU runs their work concurrently. A context is a value: gpu.with({.variant = "scan/blelloch"})
// returns another context on the same device and does not change this one. A backend that this build lacks, or a device
// that was not found, throws fault::no_device.
//
//   auto side = gpu.with({.stream = stream});                      // a cudaStream_t, or a cl_command_queue
//   auto sure = gpu.with({.deterministic = upsweep::determinism::across_devices, .checked = true});
//   auto lean = gpu.with({.memory = &pool});                       // memory.hpp
//   upsweep::sort(gpu.with({.wait_for = {loaded}, .record = &sorted}), x.span());  // event.hpp
//
// The scratch of a stream is kept as long as the device is open, or until trim(). Its work must be done before the
// stream is destroyed.
//
// CUDA graphs  Calls on device memory that return nothing can be captured, first calls too. A capture uses scratch
//              that belongs to its graph alone and is released with the graph. Two instances of one graph must not run
//              at once. A call that waits (it returns a count or a value, or reads or writes host memory) throws
//              before it enqueues anything; the capture continues.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upsweep/core/device.hpp"
#include "upsweep/event.hpp"

namespace upsweep {

struct device_listing {
  backend kind;
  std::string name;         // the argument of context::named: "cuda:0"
  std::string description;  // the hardware's name, or the reason why the backend is unavailable
  bool usable = false;
  std::uint64_t total_memory = 0;
};

// Which results are bitwise equal if elements are floats; docs/determinism.md.
enum class determinism : std::uint8_t {
  run_to_run,     // of every run on the same context
  across_devices  // on every device and with every number of threads
};

// Options for calls made through a context. Members that are not set keep their current value.
struct call_options {
  // A variant by its name, "scan/blelloch": calls of its primitive ("scan") run it, or throw if it does not support
  // them.
  std::string_view variant = {};
  // With across_devices, reduce adds f32 and f64 as reproducible_sum does; every other call whose rounding depends on
  // the order of operations throws. Functions of the caller are assumed not to round.
  std::optional<determinism> deterministic = {};
  // Also checks contents that only the device can read, as in code compiled with UPSWEEP_CHECKED: offsets, indices,
  // ranges, edges, lengths, and whether a comparator is a strict weak order. The check is one more pass over them, and
  // the call waits for it.
  std::optional<bool> checked = {};
  // Checks only those of them that could make the device read or write outside its memory: offsets, indices, ranges and
  // lengths. The C interface, Python and the command enable it. A call captured in a CUDA graph cannot wait, so it
  // skips the check.
  std::optional<bool> checked_positions = {};
  // A cudaStream_t, or an in-order cl_command_queue, that the caller owns. Calls are enqueued there, with scratch that
  // belongs to the stream and is kept. Memory must be ready there: buffers made on the context are; use `wait_for` for
  // others. A queue of another OpenCL context uses that context's memory. The CPU has no streams.
  std::optional<void*> stream = {};
  // Allocates scratch, and buffers made on the context.
  memory_resource* memory = nullptr;
  // Work enqueued through the returned context waits for these events.
  std::vector<event> wait_for = {};
  // Recorded when the last copy of the returned context is destroyed: at the end of the full expression that calls
  // with(), if the caller keeps no copy.
  const event* record = nullptr;
};

using chosen_variants = std::map<std::string, const void*, std::less<>>;  // by primitive; core/dispatch.hpp

class context;

namespace detail {
// context::with({.memory = &resource}). Unlike with(), it does not link the table of the variants' names.
context with_memory(const context&, memory_resource&);
}  // namespace detail

class context {
 public:
  static context cpu(int threads = 0);  // 0: all threads that the process may use
  static context cuda(int index = 0);
  // Work is enqueued on the caller's cudaStream_t, which must outlive the context. The caller synchronizes.
  static context cuda_on_stream(void* stream, int index = 0);
  static context opencl(int index = 0);
  static context best();
  // "cpu", "cpu:4" (threads), "cuda:0", "opencl:1", "best".
  static context named(std::string_view name);

  backend kind() const { return device_->kind(); }
  std::string name() const { return device_->name(); }
  std::string description() const { return device_->description(); }
  void synchronize() const { device_->synchronize(); }
  // Bytes of the device's memory that are not allocated.
  std::uint64_t free_memory() const { return device_->free_memory(); }

  // A copy with these options. An unknown variant throws an error that lists the nearest names. A variant of the
  // textbook or of a backend that this program lacks throws an error that says what to link or build (textbook.hpp).
  context with(const call_options&) const;
  determinism deterministic() const { return deterministic_; }
  bool checked() const { return checked_; }
  bool checked_positions() const { return checked_ || (checked_positions_ && device_->capture() == 0); }
  // The name of the variant that ran last; empty before the first call.
  std::string_view last_algorithm() const;

  // Bytes of scratch that the device holds now, and how often any of it was allocated since the device was opened.
  std::uint64_t temporary_storage_bytes() const { return device_->temporary_storage_bytes(); }
  std::uint64_t temporary_storage_allocations() const { return device_->temporary_storage_allocations(); }
  // Releases the unused scratch that contexts on this device keep: all scratch of the calling thread and of threads
  // that have ended, and the scratch of other threads that no running variant uses. Waits for work that may use it. On
  // CUDA it also releases the memory of destroyed graphs. Later calls allocate again. A call that cannot allocate
  // memory does the same before it fails. Scratch beyond UPSWEEP_SCRATCH_LIMIT (default: half of the memory) is
  // released in the same way.
  void trim() const { device_->trim(); }

  // For the library's algorithms: the device that the context uses.
  upsweep::device& device() const { return *device_; }
  const chosen_variants* chosen() const { return chosen_.get(); }

  explicit context(std::shared_ptr<upsweep::device> d, std::shared_ptr<const chosen_variants> chosen = nullptr)
      : opened_(d), device_(std::move(d)), chosen_(std::move(chosen)) {}
  // Copies share the device. A moved-from context keeps it too, so no context is ever empty.
  context(const context&) = default;
  context& operator=(const context& other) {
    context old = other;  // destroys the previous members in the order of a destructor
    std::swap(opened_, old.opened_), std::swap(device_, old.device_), std::swap(chosen_, old.chosen_);
    std::swap(record_, old.record_), std::swap(deterministic_, old.deterministic_), std::swap(checked_, old.checked_);
    std::swap(checked_positions_, old.checked_positions_);
    return *this;
  }

 private:
  friend context detail::with_memory(const context&, memory_resource&);
  context with_resources(const stream_and_memory&) const;
  context controlled(const call_options&) const;  // applies every option except the variant

  std::shared_ptr<upsweep::device> opened_;  // device_, or the device from which device_ was made
  std::shared_ptr<upsweep::device> device_;
  std::shared_ptr<const chosen_variants> chosen_;  // null: the fastest variant of each primitive
  std::shared_ptr<const void> record_;             // its destructor records call_options::record
  determinism deterministic_ = determinism::run_to_run;
  bool checked_ = false;
  bool checked_positions_ = false;
};

// Every device of every backend in this build, and one entry with the reason for each backend that is unavailable.
std::vector<device_listing> list_devices();

}  // namespace upsweep
