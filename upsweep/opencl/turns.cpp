#include "upsweep/opencl/turns.hpp"

#include <charconv>

namespace upsweep::opencl {

namespace {

struct turns {
  std::mutex guard;
  cl_command_queue last = nullptr;  // not retained: who owns it takes it out before it goes
};

// Never destroyed: a context that is, too, may be released after it.
turns& all_turns() {
  static turns& only = *new turns;
  return only;
}

}  // namespace

bool wants_turns(std::string_view platform) {
  for (const std::string_view named : {"PoCL ", "pocl "}) {
    const auto at = platform.find(named);
    if (at == std::string_view::npos) continue;
    const std::string_view number = platform.substr(at + named.size());
    int major = 0;
    return std::from_chars(number.data(), number.data() + number.size(), major).ec == std::errc() && major < 6;
  }
  return false;
}

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
