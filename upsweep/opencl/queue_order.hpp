// Serialises queues on drivers that fail with kernels of several queues at once.
#pragma once

#include <mutex>
#include <string_view>

#include "upsweep/opencl/opencl_device.hpp"
#include "upsweep/opencl/pocl.hpp"

namespace upsweep::opencl {

// PoCL before 6.0 counts uses of a compiled kernel by work-group shape, and compiles it again for each wider grid. If
// three queues have launched one kernel, a narrow launch that ends releases the use of a wider one. Then PoCL's own
// assertion ends the process, or the code is unloaded while another queue runs it. PoCL's commit 9184812d fixes this.
// `platform`: the value of CL_PLATFORM_VERSION.
inline bool wants_turns(std::string_view platform) {
  const int release = pocl_release(platform);
  return release > 0 && release < 6;
}

// While it exists, kernels may be launched to the queue: all work enqueued before to other queues of this process has
// ended. A queue whose kernels wait for a user's event that is set only after a launch to another queue would wait
// for ever.
class turn {
 public:
  explicit turn(const cl::CommandQueue&);

 private:
  std::scoped_lock<std::mutex> held_;
};

// Requires that no work of the queue is running. Other queues then no longer wait for it.
void leave_turns(const cl::CommandQueue&) noexcept;

}  // namespace upsweep::opencl
