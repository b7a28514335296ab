// The members that the problems of all algorithms begin with. X_problem.hpp adds those of the algorithm X.
#pragma once

#include <cstring>

#include "upsweep/core/device.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {

// One element of any built-in type.
struct scalar {
  alignas(8) std::byte bytes[8]{};
  template <class T>
  static scalar of(T value) {
    static_assert(sizeof(T) <= 8);
    scalar s;
    std::memcpy(s.bytes, &value, sizeof value);
    return s;
  }
  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
};

// Elements have `type` unless the problem states another type. Their number n may be 0.
struct problem_head {
  dtype type = dtype::u32;
  std::uint64_t n = 0;
};

// Members of problems with an operator. In the formulas, x_i is transform(in[i]), converted to the operator's type.
struct folding {
  op_kind op = op_kind::plus;
  transform_kind transform = transform_kind::identity;
  scalar init;  // has the elements' type; identity_scalar(op, type) means no init
};

scalar identity_scalar(op_kind op, dtype type);

// One step of a reduction: a ∘ x, where x is the transformed and converted `element`.
scalar folded_on(const folding& f, dtype type, scalar a, scalar element);

}  // namespace upsweep
