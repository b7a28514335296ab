// Stable partitions on CUDA, two ways and three.
#include "upsweep/select/cuda/erased.cuh"
#include "upsweep/select/problem.hpp"

namespace upsweep::select_room {

void partition_on_cuda(cuda::device& d, const problem& p) {
  cuda::with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    using test = cuda::test_on_bits<U>;
    const test first = cuda::make_test<U>(p.type, p.test, p.threshold);
    if (p.how == selection::partition) return cuda::move_groups<false, U>(d, p, cuda::group_by_predicate<test>{first});
    const test second = cuda::make_test<U>(p.type, p.test2, p.threshold2);
    cuda::move_groups<false, U>(d, p, cuda::group_by_two<test, test>{first, second});
  });
}

}  // namespace upsweep::select_room
