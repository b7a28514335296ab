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
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/core/device.hpp"

namespace upsweep {

struct device_listing {
  backend kind;
  std::string name;         // what context::named takes: "cuda:0"
  std::string description;  // the hardware's own name, or why there is none
  bool usable = false;
  std::uint64_t total_memory = 0;
};

// What calls through a context do differently.
struct call_options {
  // The primitive that this variant ("scan/blelloch") belongs to runs as that variant, or throws where it cannot.
  std::string_view variant = {};
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
  // The name of the variant that ran last; empty before the first.
  std::string_view last_variant() const;

  scratch_use scratch_used() const { return device_->scratch_used(); }

  // For the rooms: the device behind the context.
  device& dev() const { return *device_; }
  const chosen_variants* chosen() const { return chosen_.get(); }

  explicit context(std::shared_ptr<device> d, std::shared_ptr<const chosen_variants> chosen = nullptr)
      : device_(std::move(d)), chosen_(std::move(chosen)) {}
  // Copies share the device; what is moved from keeps it, too, so that no context is empty.
  context(const context&) = default;
  context& operator=(const context&) = default;

 private:
  std::shared_ptr<device> device_;
  std::shared_ptr<const chosen_variants> chosen_;  // null: the fastest of each
};

// Every device of every backend in this build, and a row for each backend that is off, saying why.
std::vector<device_listing> list_devices();

}  // namespace upsweep
