// Queues that take turns, where the driver does not bear kernels of several at once.
#pragma once

#include <mutex>
#include <string_view>

#include "upsweep/opencl/device.hpp"
#include "upsweep/opencl/pocl.hpp"

namespace upsweep::opencl {

// PoCL before 6.0 counts who uses a compiled kernel by its work-group's shape, and compiles it anew for each wider
// grid: where three queues have launched one kernel, a narrow launch that ends takes the use of a wider one away, and
// PoCL's own assertion ends the process, or the code is unloaded under whoever runs it (PoCL's commit 9184812d mends
// it). `platform`: what CL_PLATFORM_VERSION says.
inline bool wants_turns(std::string_view platform) {
  const int release = pocl_release(platform);
  return release > 0 && release < 6;
}

// While it lives, kernels may be launched to the queue: what other queues of this process were given before has ended.
// A queue whose kernels wait for a user's event that is set only after a launch to another queue would wait for ever.
class turn {
 public:
  explicit turn(const cl::CommandQueue&);

 private:
  std::scoped_lock<std::mutex> held_;
};

// Nothing of the queue's runs any more, and it is not kept alive for others to wait for.
void leave_turns(const cl::CommandQueue&) noexcept;

}  // namespace upsweep::opencl
