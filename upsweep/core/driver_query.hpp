// The result of the probes of upsweep/driver_probe.hpp, for the backends.
#pragma once

#include <cstdint>
#include <string>

namespace upsweep::core {

enum class driver : std::uint8_t { cuda, opencl };

struct driver_state {
  std::string off, remedy;  // why this process does not call the driver; empty if it calls it
  bool prints = false;      // it printed on standard output
};

// Probes the driver if the program asks for it. PoCL ends its process if /sys is missing, as in a chroot or a sandbox:
// then OpenCL is probed unasked, and is off if there is no program for the child. Computed once for each driver.
const driver_state& state_of(driver);

// While it exists, what a printing driver writes to standard output goes to standard error: a command's output may be
// data. Only in a program that probes by itself, since all threads share the descriptor.
class printing_aside {
 public:
  explicit printing_aside(driver);
  ~printing_aside();
  printing_aside(const printing_aside&) = delete;
  printing_aside& operator=(const printing_aside&) = delete;

 private:
  int kept_ = -1;
};

}  // namespace upsweep::core
