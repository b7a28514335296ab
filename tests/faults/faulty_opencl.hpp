// faulty_opencl.cpp inside a test: stands before OpenCL's functions, lets one call fail, and counts references.
#pragma once

// From now on the Nth call fails with `code`, one of OpenCL's; 0: none does, all are counted. Releases never fail.
void faulty_opencl_arm(long n, int code);
struct opencl_calls {
  long made;
  const char* failed;  // the function's name, or null
};
// No more.
opencl_calls faulty_opencl_disarm();
// References to contexts, queues, memory, programs, kernels and events that were not given back.
long opencl_references();
