// Named ranges for NVIDIA's profilers, by NVTX. A build without NVTX's header, or with UPSWEEP_NVTX=OFF, has none.
#pragma once

#include <string_view>

namespace upsweep::core {

// Begins the range "upsweep::<name>" of the calling thread, in the domain upsweep. False if no profiler is attached;
// then no text is made.
bool begin_range(std::string_view name);
void end_range();

class profiler_range {
 public:
  explicit profiler_range(std::string_view name) : begun_(begin_range(name)) {}
  ~profiler_range() {
    if (begun_) end_range();
  }
  profiler_range(const profiler_range&) = delete;
  profiler_range& operator=(const profiler_range&) = delete;

 private:
  bool begun_;
};

}  // namespace upsweep::core
