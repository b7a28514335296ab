// Unique and run lengths on CUDA.
#include "upsweep/select/cuda/select_cuda_type_dispatch.cuh"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::detail::select_impl {

void unique_on_cuda(cuda::device& d, const problem& p) {
  cuda::with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    cuda::move_groups<true, U>(d, p, cuda::group_firsts<cuda::equal_on_bits<U>>{cuda::make_equal<U>(p.type)});
  });
}

void run_lengths_on_cuda(device& where, const problem& p) {
  cuda::with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    // Run lengths of bytes are used as often as those of wide elements.
    const auto encode = [&](auto equal) {
      cuda::run_length_encode<sizeof(U) != 2>(cuda::of(where), p.in.as<const U>(), p.n, p.out.as<U>(),
                                              p.out2.as<std::uint64_t>(), p.count.as<std::uint64_t>(), equal);
    };
    if constexpr (sizeof(U) == 1) {
      encode(cuda::equal_elements{});  // no float has one byte
    } else {
      encode(cuda::make_equal<U>(p.type));
    }
  });
}

}  // namespace upsweep::detail::select_impl
