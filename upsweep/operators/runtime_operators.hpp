// Operators, transforms and comparisons that are chosen at run time.
#pragma once

#include "upsweep/operators.hpp"

namespace upsweep {

// x compared with a threshold, as C++ compares: with NaN every comparison is false but !=.
template <class T>
struct compared {
  comparison how = comparison::less;
  T threshold{};
  UPSWEEP_HD constexpr bool operator()(T x) const {
    switch (how) {
      case comparison::less: return x < threshold;
      case comparison::less_equal: return x <= threshold;
      case comparison::greater: return x > threshold;
      case comparison::greater_equal: return x >= threshold;
      case comparison::equal: return x == threshold;
      case comparison::not_equal: break;
    }
    return !(x == threshold);
  }
};

// One of the built-in transforms, chosen at run time.
struct any_transform {
  transform_kind kind = transform_kind::identity;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T x) const {
    switch (kind) {
      case transform_kind::identity: return x;
      case transform_kind::negate: return negate{}(x);
      case transform_kind::absolute: return absolute{}(x);
      case transform_kind::square: break;
    }
    return square{}(x);
  }
};

// Calls f(plus{}) and so on with the operator of kind `op`.
template <class F>
decltype(auto) with_op(op_kind op, F&& f) {
  switch (op) {
    case op_kind::plus: return f(plus{});
    case op_kind::multiplies: return f(multiplies{});
    case op_kind::minimum: return f(minimum{});
    case op_kind::maximum: return f(maximum{});
    case op_kind::bit_and: return f(bit_and{});
    case op_kind::bit_or: return f(bit_or{});
    case op_kind::bit_xor: return f(bit_xor{});
    case op_kind::logical_and: return f(logical_and{});
    case op_kind::logical_or: return f(logical_or{});
    case op_kind::compose_affine: break;
  }
  return f(compose_affine{});
}

}  // namespace upsweep
