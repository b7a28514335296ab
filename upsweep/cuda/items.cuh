// A thread's items: read and written in the widest pieces their size and place allow, and brought through the fused
// transform.
#pragma once

#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

// An operator that says so is seldom asked for, and does without the kernels that save microseconds at some sizes.
template <class Op>
inline constexpr bool seldom_asked_for = requires { requires Op::seldom_asked_for; };

// Only an operator that says so may be reordered: a built-in one, or one with `static constexpr bool commutes = true`.
template <class Op>
inline constexpr bool may_reorder = [] {
  if constexpr (builtin_op<Op>) return commutes(Op::kind);
  if constexpr (requires { Op::commutes; }) return bool(Op::commutes);
  return false;
}();

template <class T, int Items>
inline constexpr bool in_sixteens = 16 % sizeof(T) == 0 && Items * sizeof(T) % 16 == 0;

// `from` is 16-byte aligned where the items come in sixteens. Consecutive threads read consecutive runs; a run that is
// an odd number of 16-byte pieces touches every bank once a wavefront.
template <int Items, class T>
__device__ void read_items(const T* from, T (&x)[Items]) {
  if constexpr (in_sixteens<T, Items>) {
    constexpr int per = 16 / sizeof(T);
#pragma unroll
    for (int i = 0; i < Items / per; ++i) {
      const uint4 piece = reinterpret_cast<const uint4*>(from)[i];
      memcpy(&x[i * per], &piece, 16);
    }
  } else {
#pragma unroll
    for (int i = 0; i < Items; ++i) x[i] = from[i];
  }
}

template <int Items, class T>
__device__ void write_items(T* to, const T (&x)[Items]) {
  if constexpr (in_sixteens<T, Items>) {
    constexpr int per = 16 / sizeof(T);
#pragma unroll
    for (int i = 0; i < Items / per; ++i) {
      uint4 piece;
      memcpy(&piece, &x[i * per], 16);
      reinterpret_cast<uint4*>(to)[i] = piece;
    }
  } else {
#pragma unroll
    for (int i = 0; i < Items; ++i) to[i] = x[i];
  }
}

// x[i] = upsweep::lifted(f(x[i])).
template <int Items, class T, class Op, class F>
__device__ void transform_items(T (&x)[Items], const Op& op, const F& f) {
#pragma unroll
  for (int i = 0; i < Items; ++i) x[i] = upsweep::lifted(op, f(x[i]));
}
template <int Items, class T, class Op>
__device__ T fold_items(const T (&x)[Items], const Op& op) {
  T sum = x[0];
#pragma unroll
  for (int i = 1; i < Items; ++i) sum = op(sum, x[i]);
  return sum;
}

}  // namespace upsweep::cuda
