// Operators with few kernels by key and by segment.
#pragma once

#include "upsweep/cuda/thread_items.cuh"

namespace upsweep::cuda {

// Rarely used by key and by segment, and exact under any grouping. By key they have only the ring, which folds all
// tiles like the last one; by segment they have reductions by shares, and scans by bits.
template <class Op>
inline constexpr bool seldom_by_key = seldom_asked_for<Op> || requires { requires Op::seldom_by_key; };
template <class Op>
  requires requires { Op::kind; }
inline constexpr bool seldom_by_key<Op> =
    Op::kind == op_kind::minimum || Op::kind == op_kind::maximum || Op::kind == op_kind::compose_affine;

}  // namespace upsweep::cuda
