// Which folds within runs, segments and lines a quick check tries: every type and every operator, not all pairs of
// them, and some transforms.
#pragma once

#include "upsweep/core/problem_base.hpp"

namespace upsweep {

inline bool in_fold_sample(dtype type, op_kind op, transform_kind f) {
  const int t = static_cast<int>(type), o = static_cast<int>(op), types = static_cast<int>(folding_dtypes.size());
  if (op == op_kind::compose_affine) return f == transform_kind::identity;
  if (f != transform_kind::identity)
    return t == (o + static_cast<int>(f)) % types && (o + static_cast<int>(f)) % 4 == 0;
  return t == o % types || (op == op_kind::plus && size_of(type) == 4);
}

// Transforms are fused as they are in a scan; every third pair tells.
inline bool tells_of_transform(dtype type, op_kind op, transform_kind f) {
  return f == transform_kind::identity ||
         (static_cast<int>(type) + static_cast<int>(op) + static_cast<int>(f)) % 3 == 0;
}

}  // namespace upsweep
