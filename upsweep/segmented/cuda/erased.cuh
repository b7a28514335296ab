// From a problem with its types erased to the pass by key. Heads come as bits, so that neither the keys' type nor what
// makes a segment doubles the kernels; a few that are much asked for take their keys directly (segmented.cu).
#pragma once

#include "upsweep/cuda/erased.cuh"
#include "upsweep/segmented/cuda.cuh"
#include "upsweep/segmented/problem.hpp"
#include "upsweep/select/cuda/erased.cuh"

namespace upsweep::cuda {

// Where the folds of runs go: run r's to out[r].
template <class T>
struct folds_out {
  T* out;
  template <class Op>
  __device__ void write(std::uint64_t run, const T& value, const Op&) const {
    out[run] = value;
  }
  __device__ void write_count(std::uint64_t) const {}
};

const std::uint32_t* heads_of(device& d, const segmented_room::problem& p);  // segmented.cu: a bit each, in scratch

template <class T, class Op, class F, class Results>
void run_by_bits(device& d, const segmented_room::problem& p, Results results, Op op, F f) {
  run_by_key(d,
             by_key_pass<no_array, T, Op, F, equal_elements, Results>{
                 nullptr, heads_of(d, p), p.in.as<const T>(), p.n, false, results, op, f, {}},
             name_of(p.what).data());
}

}  // namespace upsweep::cuda
