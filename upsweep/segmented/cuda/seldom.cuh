// Operators that this room keeps few kernels for.
#pragma once

#include "upsweep/cuda/items.cuh"

namespace upsweep::cuda {

// By key and by segment these are seldom asked for, and no grouping changes what they yield. By key they have the ring
// alone, whose tiles are all folded as the last one is; by segment reductions by shares, and scans by bits.
template <class Op>
inline constexpr bool seldom_by_key = seldom_asked_for<Op> || requires { requires Op::seldom_by_key; };
template <class Op>
  requires requires { Op::kind; }
inline constexpr bool seldom_by_key<Op> =
    Op::kind == op_kind::minimum || Op::kind == op_kind::maximum || Op::kind == op_kind::compose_affine;

}  // namespace upsweep::cuda
