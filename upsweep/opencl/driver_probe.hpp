// Whether this process survives the calls that list the OpenCL drivers' devices.
#pragma once

#include <string>

namespace upsweep::opencl {

// The reason for not calling the drivers; empty if they can be called. PoCL ends the process with abort() if /sys is
// missing, as in a chroot or a sandbox; then a child process tries first. Otherwise this costs one look at the file
// system. The result is computed once per process.
const std::string& why_not_asked();

}  // namespace upsweep::opencl
