// From a problem with its types erased to the pass by key. Heads are bits, so that neither the keys' type nor the
// kind of segment doubles the kernels; a few common cases read their keys directly (segmented_cuda.cu).
#pragma once

#include "upsweep/cuda/type_dispatch.cuh"
#include "upsweep/segmented/segmented_cuda.cuh"
#include "upsweep/segmented/segmented_problem.hpp"
#include "upsweep/select/cuda/select_cuda_type_dispatch.cuh"

namespace upsweep::cuda {

// The output for the folds of runs: run r's fold is out[r].
template <class T>
struct folds_out {
  T* out;
  template <class W, class Op>
  __device__ void write(std::uint64_t run, const W& value, const Op&) const {
    out[run] = static_cast<T>(value);
  }
  __device__ void write_count(std::uint64_t) const {}
};

// segmented_cuda.cu: a bit each, in scratch
const std::uint32_t* heads_of(device& d, const detail::segmented_impl::problem& p);

template <class T, class Op, class F, class Results>
void run_by_bits(device& d, const detail::segmented_impl::problem& p, Results results, Op op, F f) {
  run_by_key(d,
             by_key_pass<no_array, T, Op, F, equal_elements, Results>{
                 nullptr, heads_of(d, p), p.in.as<const T>(), p.n, false, results, op, f, {}},
             name_of(p.what).data());
}

}  // namespace upsweep::cuda
