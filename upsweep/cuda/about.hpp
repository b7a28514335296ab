// What a CUDA GPU says of itself, as far as it is shown or bounds something; without the runtime's headers.
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

// How long it takes until reduce's kernels are there: where the build has no ready code, until a driver made it.
double seconds_to_load_reduce(const context& cuda);

// Of the GPUs here those of the one that has the fewest; 1 where there is none. What bounds a chain of dependent
// operations on each of them goes by it.
int fewest_multiprocessors();

}  // namespace cuda
}  // namespace upsweep
