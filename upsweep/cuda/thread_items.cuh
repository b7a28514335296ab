// A thread's items: reads and writes them in the widest pieces that their size and alignment allow, and applies the
// fused transform.
#pragma once

#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

// An operator that is marked as rarely used. It omits the kernels that save microseconds at some sizes.
template <class Op>
inline constexpr bool seldom_asked_for = requires { requires Op::seldom_asked_for; };

// Only these operators may be reordered: commutative built-in ones, and those with `static constexpr bool commutes =
// true`.
template <class Op>
inline constexpr bool may_reorder = [] {
  if constexpr (builtin_op<Op>) return commutes(Op::kind);
  if constexpr (requires { Op::commutes; }) return bool(Op::commutes);
  return false;
}();

template <class T, int Items>
inline constexpr bool in_sixteens = 16 % sizeof(T) == 0 && Items * sizeof(T) % 16 == 0;

// `from` must be 16-byte aligned if the items are read in 16-byte pieces. Consecutive threads read consecutive runs;
// a run with an odd number of 16-byte pieces accesses every bank once a wavefront.
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

// x[i] = upsweep::to_accumulator(f(x[i])).
template <int Items, class T, class Op, class F>
__device__ void transform_items(T (&x)[Items], const Op& op, const F& f) {
#pragma unroll
  for (int i = 0; i < Items; ++i) x[i] = upsweep::to_accumulator(op, f(x[i]));
}
template <int Items, class T, class Op>
__device__ T fold_items(const T (&x)[Items], const Op& op) {
  T sum = x[0];
#pragma unroll
  for (int i = 1; i < Items; ++i) sum = op(sum, x[i]);
  return sum;
}
// Like fold_items(), in W: the elements' type or its carrier.
template <class W, int Items, class T, class Op>
__device__ W fold_items_in(const T (&x)[Items], const Op& op) {
  W sum(x[0]);
#pragma unroll
  for (int i = 1; i < Items; ++i) sum = op(sum, W(x[i]));
  return sum;
}

// Each item becomes the prefix that ends with it, or before it. `running` is the fold of all elements before the
// first item, in the items' type or its carrier.
template <int Items, class T, class W, class Op>
__device__ void scan_items(T (&x)[Items], W running, bool inclusive, const Op& op) {
  if (inclusive) {
#pragma unroll
    for (int i = 0; i < Items; ++i) x[i] = static_cast<T>(running = op(running, W(x[i])));
  } else {
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const W own(x[i]);
      x[i] = static_cast<T>(running);
      running = op(running, own);
    }
  }
}

}  // namespace upsweep::cuda
