#include "upsweep/textbook.hpp"

#include <mutex>

#include "upsweep/core/rooms.hpp"

namespace upsweep::textbook {

void open() {
  static std::once_flag opened;
  std::call_once(opened, [] {
    static const std::vector<std::span<const variant>> rungs{
        reduce_room::cpu_textbook(),
#if UPSWEEP_WITH_CUDA
        reduce_room::cuda_textbook(),
#endif
#if UPSWEEP_WITH_OPENCL
        reduce_room::opencl_textbook(),
#endif
        scan_room::cpu_textbook(),
#if UPSWEEP_WITH_CUDA
        scan_room::cuda_textbook(),
#endif
#if UPSWEEP_WITH_OPENCL
        scan_room::opencl_textbook(),
#endif
        sort_room::cpu_textbook(),      select_room::cpu_textbook(),    histogram_room::cpu_textbook(),
        segmented_room::cpu_textbook(), integral_room::cpu_textbook(),  convolve_room::cpu_textbook(),
        nbody_room::cpu_textbook(),
#if UPSWEEP_WITH_CUDA
        sort_room::cuda_textbook(),     select_room::cuda_textbook(),   histogram_room::cuda_textbook(),
        integral_room::cuda_textbook(), convolve_room::cuda_textbook(), nbody_room::cuda_textbook(),
#endif
    };
    add_to_catalog(rungs);
  });
}

}  // namespace upsweep::textbook
