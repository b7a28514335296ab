// The OpenCL C files of the library as strings: the build turns every .cl file into an element of embedded_sources.
#pragma once

#include <string_view>

namespace upsweep::opencl {

struct embedded_source {
  const char* name;  // relative to upsweep/: "reduce/opencl/reduce_opencl.cl"
  const char* source;
};

extern const embedded_source embedded_sources[];  // ends with a null name

// The contents of the file with that name; throws if there is none.
std::string_view source(std::string_view name);

}  // namespace upsweep::opencl
