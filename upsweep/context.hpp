// Where work runs. A context owns its device's queue or stream, its threads, its scratch memory and its choice of
// variant.
//
//   auto gpu = upsweep::context::cuda(0);
//   auto cpu = upsweep::context::cpu();        // all threads this process may use
//   auto any = upsweep::context::best();       // a CUDA GPU, else an OpenCL GPU, else the CPU
//
// Contexts are cheap to copy; copies share the device. Threads may share a context: each of their calls is right by
// itself, with scratch of the thread's own, and on a GPU their work runs in one queue; with a context each, the GPU
// runs them side by side. A context is a value: gpu.with({.variant = "scan/blelloch"}) is another one, on the same
// device, and changes nothing for those who hold this one. A backend that is not in this build, or a device that is not
// there, throws fault::no_device.
//
//   auto side = gpu.with({.stream = stream});                      // a cudaStream_t, or a cl_command_queue
//   auto sure = gpu.with({.deterministic = upsweep::determinism::across_devices, .checked = true});
//   auto lean = gpu.with({.memory = &pool});                       // memory.hpp
//   upsweep::sort(gpu.with({.after = {loaded}, .signal = &sorted}), x.span());  // event.hpp
//
// Scratch of a stream's is kept as long as the device is open: its work has to be done before the stream is destroyed.
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
  std::string name;         // what context::named takes: "cuda:0"
  std::string description;  // the hardware's own name, or why there is none
  bool usable = false;
  std::uint64_t total_memory = 0;
};

// Which results are the same bit for bit, where elements are floats; docs/determinism.md.
enum class determinism : std::uint8_t {
  on_one_context,  // every time on the same context
  across_devices   // on every device and with every number of threads
};

// What calls through a context do differently. What is left out stays as it was.
struct call_options {
  // The primitive that this variant ("scan/blelloch") belongs to runs as that variant, or throws where it cannot.
  std::string_view variant = {};
  // Across devices: reduce adds f32 and f64 as reproducible_sum does, and whatever else rounds as it goes throws.
  // Functions of the caller's own are taken to round nothing.
  std::optional<determinism> deterministic = {};
  // Contents that only a device can read are looked at too, as in code compiled with UPSWEEP_CHECKED: offsets, indices,
  // ranges, edges, lengths, and whether a comparator is an order. One more pass over them, for which the call waits.
  std::optional<bool> checked = {};
  // A cudaStream_t, or a cl_command_queue in order, of the caller's: calls are enqueued there, with scratch of its own,
  // which is kept. Memory has to be ready there: buffers made on the context are; others wait by `after`. A queue of
  // another OpenCL context works on that context's memory. The CPU has none.
  std::optional<void*> stream = {};
  // Scratch, and buffers made on the context, come from there.
  memory_resource* memory = nullptr;
  // What is enqueued after the call of with() waits for these.
  std::vector<event> after = {};
  // Stands for all that was enqueued through the context, when its last copy goes: at the end of the full expression
  // that calls with(), where nobody keeps it.
  const event* signal = nullptr;
};

using chosen_variants = std::map<std::string, const void*, std::less<>>;  // by primitive; core/dispatch.hpp

class context {
 public:
  static context cpu(int threads = 0);  // 0: as many as the process may use
  static context cuda(int index = 0);
  // Work is enqueued on the caller's cudaStream_t, which must outlive the context; the caller synchronizes.
  static context cuda_on_stream(void* stream, int index = 0);
  static context opencl(int index = 0);
  static context best();
  // "cpu", "cpu:4" (threads), "cuda:0", "opencl:1", "best".
  static context named(std::string_view name);

  backend kind() const { return device_->kind(); }
  std::string name() const { return device_->name(); }
  std::string description() const { return device_->description(); }
  void synchronize() const { device_->synchronize(); }
  // Bytes of the device's memory that nobody has now.
  std::uint64_t free_memory() const { return device_->free_memory(); }

  // A copy whose calls differ as the options say. An unknown variant throws with the nearest names.
  context with(const call_options&) const;
  // A copy in another stream, or with other memory: with(), but linking nothing that a variant's name would need.
  context placed(const placement&) const;
  determinism deterministic() const { return deterministic_; }
  bool checked() const { return checked_; }
  // The name of the variant that ran last; empty before the first.
  std::string_view last_variant() const;

  scratch_use scratch_used() const { return device_->scratch_used(); }

  // For the rooms: the device behind the context.
  device& dev() const { return *device_; }
  const chosen_variants* chosen() const { return chosen_.get(); }

  explicit context(std::shared_ptr<device> d, std::shared_ptr<const chosen_variants> chosen = nullptr)
      : opened_(d), device_(std::move(d)), chosen_(std::move(chosen)) {}
  // Copies share the device; what is moved from keeps it, too, so that no context is empty.
  context(const context&) = default;
  context& operator=(const context& other) {
    context old = other;  // what this one held goes with it, in the order of a destructor
    std::swap(opened_, old.opened_), std::swap(device_, old.device_), std::swap(chosen_, old.chosen_);
    std::swap(signal_, old.signal_), std::swap(deterministic_, old.deterministic_), std::swap(checked_, old.checked_);
    return *this;
  }

 private:
  context controlled(const call_options&) const;  // as all of them say but the variant

  std::shared_ptr<device> opened_;  // which device_ is, or was placed by
  std::shared_ptr<device> device_;
  std::shared_ptr<const chosen_variants> chosen_;  // null: the fastest of each
  std::shared_ptr<const void> signal_;             // records an event when it goes
  determinism deterministic_ = determinism::on_one_context;
  bool checked_ = false;
};

// Every device of every backend in this build, and a row for each backend that is off, saying why.
std::vector<device_listing> list_devices();

}  // namespace upsweep
