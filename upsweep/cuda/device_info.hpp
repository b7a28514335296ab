// The properties of a CUDA GPU that the library shows or derives limits from; without the runtime's headers.
#pragma once

#include <cstdint>

namespace upsweep {

class context;
class device;

namespace cuda {

struct gpu_numbers {
  int capability = 0;  // 86
  int multiprocessors = 0;
  std::uint64_t shared_bytes = 0;  // that a block may have: device::shared_limit()
  std::uint64_t cache_bytes = 0;   // of the second level
  bool ready = true;               // the build has code that runs there as it is
  int translated_from = 0;         // else the capability whose PTX the driver translates
};
gpu_numbers numbers_of(const upsweep::device& cuda_device);
gpu_numbers numbers_of(const context& cuda);

// The time until reduce's kernels are loaded; without code for the GPU in the build it includes the driver's
// translation.
double seconds_to_load_reduce(const context& cuda);

// The smallest multiprocessor count of the GPUs found; 1 without a GPU. It bounds chains of dependent operations that
// must run on each of them.
int fewest_multiprocessors();

}  // namespace cuda
}  // namespace upsweep
