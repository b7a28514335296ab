// What the command shows of CUDA's tuning. An object of its own: a call of a room does not link the others' rows.
#include "upsweep/cuda/rows.hpp"

#include "upsweep/context.hpp"
#include "upsweep/cuda/about.hpp"

namespace upsweep {

// Each in its room's cuda/rows.cu.
namespace scan_room {
std::vector<cuda::tuning_row> cuda_rows();
}
namespace sort_room {
std::vector<cuda::tuning_row> cuda_rows();
}
namespace select_room {
std::vector<cuda::tuning_row> cuda_rows();
}
namespace segmented_room {
std::vector<cuda::tuning_row> cuda_rows();
}
namespace recurrence_room {
std::vector<cuda::tuning_row> cuda_rows();
}
namespace lex_room {
std::vector<cuda::tuning_row> cuda_rows();
}

namespace reduce_room {
double seconds_to_load(device&);  // reduce/cuda/reduce.cu
}

namespace cuda {

std::vector<tuning_row> rows_of_all_rooms() {
  std::vector<tuning_row> all;
  for (const auto rows : {scan_room::cuda_rows, sort_room::cuda_rows, select_room::cuda_rows, segmented_room::cuda_rows,
                          recurrence_room::cuda_rows, lex_room::cuda_rows})
    for (const tuning_row& row : rows()) all.push_back(row);
  return all;
}

gpu_numbers numbers_of(const context& gpu) { return numbers_of(gpu.dev()); }

double seconds_to_load_reduce(const context& gpu) { return reduce_room::seconds_to_load(gpu.dev()); }

}  // namespace cuda
}  // namespace upsweep
