#include "upsweep/opencl/driver_probe.hpp"

#if !defined(CL_TARGET_OPENCL_VERSION)
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

namespace upsweep::opencl {

namespace {

// Makes the calls with which the library lists and opens devices.
void ask() {
  cl_uint platforms = 0;
  if (clGetPlatformIDs(0, nullptr, &platforms) != CL_SUCCESS) return;
  std::vector<cl_platform_id> all(platforms);
  clGetPlatformIDs(platforms, all.data(), nullptr);
  for (cl_platform_id p : all) {
    cl_uint devices = 0;
    if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) != CL_SUCCESS || devices == 0) continue;
    std::vector<cl_device_id> here(devices);
    clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, devices, here.data(), nullptr);
    for (cl_device_id d : here)
      if (cl_context c = clCreateContext(nullptr, 1, &d, nullptr, nullptr, nullptr)) clReleaseContext(c);
  }
}

// The wait status of a child process that makes those calls; -1 if fork fails, or if the child does not end in time.
int status_of_a_child() {
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    for (const int ends : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) signal(ends, SIG_DFL);
    // Suppresses messages of the failing driver.
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
    ask();
    _exit(0);
  }
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0) return -1;
    if (std::chrono::steady_clock::now() > patience) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

const std::string& why_not_asked() {
  static const std::string reason = [] {
    if (access("/sys/devices/system/cpu", R_OK) == 0) return std::string();
    const int status = status_of_a_child();
    if (status == 0) return std::string();
    return std::string("an OpenCL driver here ends the process that asks for its devices, and /sys is missing");
  }();
  return reason;
}

}  // namespace upsweep::opencl
