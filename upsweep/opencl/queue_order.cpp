#include "upsweep/opencl/queue_order.hpp"

namespace upsweep::opencl {

namespace {

struct turns {
  std::mutex guard;
  cl_command_queue last = nullptr;  // not retained: who owns it takes it out before it goes
};

// Never destroyed, because a context that is never destroyed either may be released after it.
turns& all_turns() {
  static turns& only = *new turns;
  return only;
}

}  // namespace

turn::turn(const cl::CommandQueue& queue) : held_(all_turns().guard) {
  cl_command_queue& last = all_turns().last;
  if (last && last != queue()) {
    const cl_command_queue before = last;
    last = nullptr;
    if (const cl_int code = clFinish(before); code != CL_SUCCESS) throw cl::Error(code, "clFinish");
  }
  last = queue();
}

void leave_turns(const cl::CommandQueue& queue) noexcept {
  const std::scoped_lock held(all_turns().guard);
  if (all_turns().last == queue()) all_turns().last = nullptr;
}

}  // namespace upsweep::opencl
