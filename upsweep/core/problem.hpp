// What the problems of all rooms begin with. Each room says in its problem.hpp what else is asked of it.
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

// Elements are of `type` where nothing else is said; there are n of them, which may be 0.
struct problem_head {
  dtype type = dtype::u32;
  std::uint64_t n = 0;
};

// Where an operator is applied: x_i stands for op-lifted transform(in[i]).
struct folding {
  op_kind op = op_kind::plus;
  transform_kind transform = transform_kind::identity;
  scalar init;  // of the elements' type; set it to identity_scalar(op, type) for none
};

scalar identity_scalar(op_kind op, dtype type);

// init after two elements of a fold: a ∘ x, x being lifted from `element`.
scalar folded_on(const folding& f, dtype type, scalar a, scalar element);

}  // namespace upsweep
