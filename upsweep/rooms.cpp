#include "upsweep/rooms.hpp"

#include "upsweep/exam.hpp"

namespace upsweep {

std::vector<std::span<const variant>> room_variants() {
  std::vector<std::span<const variant>> all;
#if UPSWEEP_WITH_CUDA
  all.push_back(vector_add_room::cuda_textbook());
#endif
  all.push_back(reduce_room::cpu_textbook());
#if UPSWEEP_WITH_CUDA
  all.push_back(reduce_room::cuda_textbook());
#endif
#if UPSWEEP_WITH_OPENCL
  all.push_back(reduce_room::opencl_textbook());
#endif
  // Reproducible sums stand before the fast ones: the last that can is the one that runs.
  all.push_back(reduce_room::reproducible_cpu());
#if UPSWEEP_WITH_CUDA
  all.push_back(reduce_room::reproducible_cuda());
#endif
#if UPSWEEP_WITH_OPENCL
  all.push_back(reduce_room::reproducible_opencl());
#endif
  all.push_back(reduce_room::cpu());
#if UPSWEEP_WITH_CUDA
  all.push_back(reduce_room::cuda());
#endif
#if UPSWEEP_WITH_OPENCL
  all.push_back(reduce_room::opencl());
#endif

  all.push_back(scan_room::cpu_textbook());
#if UPSWEEP_WITH_CUDA
  all.push_back(scan_room::cuda_textbook());
#endif
#if UPSWEEP_WITH_OPENCL
  all.push_back(scan_room::opencl_textbook());
#endif
  all.push_back(scan_room::cpu());
#if UPSWEEP_WITH_CUDA
  all.push_back(scan_room::cuda());
#endif
#if UPSWEEP_WITH_OPENCL
  all.push_back(scan_room::opencl());
#endif

  all.push_back(sort_room::cpu_textbook());
#if UPSWEEP_WITH_CUDA
  all.push_back(sort_room::cuda_textbook());
#endif
  all.push_back(sort_room::cpu());
#if UPSWEEP_WITH_OPENCL
  all.push_back(sort_room::opencl());
#endif
#if UPSWEEP_WITH_CUDA
  all.push_back(sort_room::cuda());
#endif

  all.push_back(select_room::cpu_textbook());
#if UPSWEEP_WITH_CUDA
  all.push_back(select_room::cuda_textbook());
#endif
  all.push_back(select_room::cpu());
#if UPSWEEP_WITH_OPENCL
  all.push_back(select_room::opencl());
#endif
#if UPSWEEP_WITH_CUDA
  all.push_back(select_room::cuda());
#endif

  all.push_back(histogram_room::cpu_textbook());
#if UPSWEEP_WITH_CUDA
  all.push_back(histogram_room::cuda_textbook());
#endif
  all.push_back(histogram_room::cpu());
#if UPSWEEP_WITH_OPENCL
  all.push_back(histogram_room::opencl());
#endif
#if UPSWEEP_WITH_CUDA
  all.push_back(histogram_room::cuda());
#endif

  all.push_back(segmented_room::cpu_textbook());
  all.push_back(segmented_room::cpu());
#if UPSWEEP_WITH_OPENCL
  all.push_back(segmented_room::opencl());
#endif
#if UPSWEEP_WITH_CUDA
  all.push_back(segmented_room::cuda());
#endif

  all.push_back(integral_room::cpu_textbook());
#if UPSWEEP_WITH_CUDA
  all.push_back(integral_room::cuda_textbook());
#endif
  all.push_back(integral_room::cpu());
#if UPSWEEP_WITH_OPENCL
  all.push_back(integral_room::opencl());
#endif
#if UPSWEEP_WITH_CUDA
  all.push_back(integral_room::cuda());
#endif

  all.push_back(convolve_room::cpu_textbook());
#if UPSWEEP_WITH_CUDA
  all.push_back(convolve_room::cuda_textbook());
#endif
  all.push_back(convolve_room::cpu());
#if UPSWEEP_WITH_OPENCL
  all.push_back(convolve_room::opencl());
#endif

  all.push_back(nbody_room::cpu_textbook());
#if UPSWEEP_WITH_CUDA
  all.push_back(nbody_room::cuda_textbook());
#endif
  all.push_back(nbody_room::cpu());
#if UPSWEEP_WITH_OPENCL
  all.push_back(nbody_room::opencl());
#endif
#if UPSWEEP_WITH_CUDA
  all.push_back(nbody_room::cuda());
#endif
  return all;
}

std::vector<std::vector<exam>> room_exams() {
  return {vector_add_room::exams(), reduce_room::exams(),    scan_room::exams(),     sort_room::exams(),
          select_room::exams(),     histogram_room::exams(), segmented_room::exams(),
          integral_room::exams(),   convolve_room::exams(),  nbody_room::exams()};
}

}  // namespace upsweep
