// From a problem with its types erased to the pass by key. Heads come as bits, so that neither the keys' type nor what
// makes a segment doubles the kernels; a few that are much asked for take their keys directly (cuda.cu).
#pragma once

#include "upsweep/cuda/erased.cuh"
#include "upsweep/segmented/cuda.cuh"
#include "upsweep/segmented/problem.hpp"
#include "upsweep/select/cuda/erased.cuh"

namespace upsweep::cuda {

// Where the folds of runs go: run r's to out[r], or to the segment that it is.
template <class T>
struct folds_out {
  T* out;
  T init;
  bool from_init;
  const std::uint64_t *places, *places_count;  // null: no segments
  std::uint64_t* count;                        // null: not asked for
  template <class Op>
  __device__ void write(std::uint64_t run, const T& value, const Op& op) const {
    const T result = from_init ? op(init, value) : value;
    if (places == nullptr) {
      out[run] = result;
    } else if (run + 1 < *places_count) {
      out[places[run + 1] - 1] = result;
    }
  }
  __device__ void write_count(std::uint64_t runs) const {
    if (count != nullptr) *count = runs;
  }
};

// What the heads of a problem are, however they are told.
struct heads {
  const std::uint32_t* bits;
  const std::uint64_t *places, *places_count;  // of segments, for a reduction
};

heads heads_of(device& d, const segmented_room::problem& p);  // cuda.cu: in scratch

template <class T, class Op, class F, class Results>
void run_by_bits(device& d, const segmented_room::problem& p, const heads& h, Results results, Op op, F f) {
  run_by_key(d,
             by_key_pass<no_array, T, Op, F, equal_elements, Results>{
                 nullptr, h.bits, p.in.as<const T>(), p.n, false, results, op, f, {}},
             name_of(p.what).data());
}

template <class T, class Op, class F>
void reduce_by_bits(device& d, const segmented_room::problem& p, const heads& h, Op op, F f) {
  const bool by_key = p.what == segmented_room::primitive::reduce_by_key;
  if constexpr (!seldom_by_key<Op>)
    if (!by_key && h.bits == nullptr)
      return run_reduce_segments(d, p.in.as<const T>(), p.in2.as<const std::uint64_t>(), p.m, p.out.as<T>(),
                                 p.init.as<T>(), op, f, "segmented_reduce on cuda");
  if (p.n == 0) return;  // no segment has a value
  const folds_out<T> results{p.out.as<T>(), p.init.as<T>(), !by_key, h.places, h.places_count, nullptr};
  run_by_bits<T>(d, p, h, results, op, f);
}

template <class T, class Op, class F>
void scan_by_bits(device& d, const segmented_room::problem& p, const heads& h, Op op, F f) {
  const bool segments = p.what == segmented_room::primitive::segmented_scan;
  const auto* offsets = p.in2.as<const std::uint64_t>();
  const elements_out<T> results{p.out.as<T>(), p.init.as<T>(), p.inclusive, segments ? offsets : nullptr,
                                segments ? offsets + p.m : nullptr};
  run_by_bits<T>(d, p, h, results, op, f);
}

}  // namespace upsweep::cuda
