// The OpenCL C files of the library as text: the build turns every .cl file into a row of embedded_sources.
#pragma once

#include <string_view>

namespace upsweep::opencl {

struct embedded_source {
  const char* name;  // relative to upsweep/: "reduce/opencl/reduce.cl"
  const char* text;
};

extern const embedded_source embedded_sources[];  // ends with a null name

// The text of one of them; throws where there is none of that name.
std::string_view source(std::string_view name);

}  // namespace upsweep::opencl
