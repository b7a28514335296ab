// Stable partitions on CUDA, two ways and three.
#include "upsweep/select/cuda/select_cuda_type_dispatch.cuh"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::detail::select_impl {

void partition_on_cuda(cuda::device& d, const problem& p) {
  cuda::with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    using test = cuda::test_on_bits<U>;
    const test first = cuda::make_test<U>(p.type, p.test, p.threshold);
    if (p.how == selection::partition) {
      if (p.value_bytes == 0) return cuda::move_groups<false, U>(d, p, cuda::group_by_predicate<test>{first});
      // With values, as three ways of which the second is empty.
      problem three = p;
      three.count = d.scratch("select/cuda/two counts", 2 * sizeof(std::uint64_t));
      cuda::move_groups<false, U>(d, three, cuda::group_by_two<test, test>{first, test::nothing()});
      return d.copy(p.count, three.count, sizeof(std::uint64_t));
    }
    const test second = cuda::make_test<U>(p.type, p.test2, p.threshold2);
    cuda::move_groups<false, U>(d, p, cuda::group_by_two<test, test>{first, second});
  });
}

}  // namespace upsweep::detail::select_impl
