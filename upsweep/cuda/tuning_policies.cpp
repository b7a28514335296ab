// The tuning policies that the command shows. A separate object file, so that calling one algorithm does not link the
// policies of the others.
#include "upsweep/cuda/tuning_policies.hpp"

#include "upsweep/context.hpp"
#include "upsweep/cuda/device_info.hpp"

namespace upsweep {

// Each is defined in its algorithm's X_cuda_policies.cu.
namespace detail::scan_impl {
std::vector<cuda::tuning_policy> cuda_rows();
}
namespace detail::sort_impl {
std::vector<cuda::tuning_policy> cuda_rows();
}
namespace detail::select_impl {
std::vector<cuda::tuning_policy> cuda_rows();
}
namespace detail::segmented_impl {
std::vector<cuda::tuning_policy> cuda_rows();
}
namespace detail::recurrence_impl {
std::vector<cuda::tuning_policy> cuda_rows();
}
namespace detail::lex_impl {
std::vector<cuda::tuning_policy> cuda_rows();
}

namespace detail::reduce_impl {
double seconds_to_load(device&);  // reduce/cuda/reduce_cuda.cu
}

namespace cuda {

std::vector<tuning_policy> tuning_policies_of_all_algorithms() {
  std::vector<tuning_policy> all;
  for (const auto rows :
       {detail::scan_impl::cuda_rows, detail::sort_impl::cuda_rows, detail::select_impl::cuda_rows,
        detail::segmented_impl::cuda_rows, detail::recurrence_impl::cuda_rows, detail::lex_impl::cuda_rows})
    for (const tuning_policy& row : rows()) all.push_back(row);
  return all;
}

gpu_numbers numbers_of(const context& gpu) { return numbers_of(gpu.device()); }

double seconds_to_load_reduce(const context& gpu) { return detail::reduce_impl::seconds_to_load(gpu.device()); }

}  // namespace cuda
}  // namespace upsweep
