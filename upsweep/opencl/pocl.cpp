#include "upsweep/opencl/pocl.hpp"

#include <charconv>

namespace upsweep::opencl {

int pocl_release(std::string_view platform) {
  for (const std::string_view named : {"PoCL ", "pocl "}) {
    const auto at = platform.find(named);
    if (at == std::string_view::npos) continue;
    const std::string_view number = platform.substr(at + named.size());
    int release = 0;
    std::from_chars(number.data(), number.data() + number.size(), release);
    return release;
  }
  return 0;
}

}  // namespace upsweep::opencl
