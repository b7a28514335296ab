// operators: the operators of reduce and scan, and the transforms that these calls can apply to their input.
//
// An operator is associative. It need not commute: every algorithm keeps its operands in order. An operator has an
// identity, which is the result for an empty input and pads incomplete tiles. A user-defined operator:
//
//   struct first_non_empty {
//     UPSWEEP_HD entry operator()(entry a, entry b) const { return a.empty ? b : a; }
//     UPSWEEP_HD static entry identity() { return {}; }
//     static constexpr const char* source = "(a.empty ? b : a)";   // only for OpenCL: an expression in a and b
//   };
//
// Integer sums, products and negations wrap modulo 2^bits, signed ones too. minimum and maximum require input without
// NaN, because with NaN the result would depend on the grouping. Which of -0 and +0 they return is unspecified. The
// logical operators read an element as true or false (x != 0) and return 0 or 1.
//
// Identities for user-defined types: plus has the identity T(0) if T is constructible from an int. multiplies has the
// identity T(1) if T is also not an aggregate. minimum and maximum have one if std::numeric_limits is specialised for
// T. Without an identity a fold begins with the first element or with an init.
#pragma once

#include <concepts>
#include <limits>

#include "upsweep/core/user_call.hpp"
#include "upsweep/operators/builtin_operators.hpp"

namespace upsweep {

// Types constructible from an int. multiplies excludes aggregates, because T(1) would set only their first member.
template <class T>
concept constructible_from_int = requires(int number) { T(number); };

struct plus {
  static constexpr op_kind kind = op_kind::plus;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T a, T b) const {
    static_assert(
        !std::is_same_v<T, bool>,
        "upsweep: the sum of bools is not a bool; give an init to count them, as in reduce(c, x, 0), or fold them "
        "with logical_or or bit_xor");
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else if constexpr (std::is_arithmetic_v<T>) {
      return a + b;
    } else {
      return core::plus_op(a, b);
    }
  }
  template <class T>
    requires constructible_from_int<T>
  UPSWEEP_HD static constexpr T identity() {
    return T(0);
  }
};

struct multiplies {
  static constexpr op_kind kind = op_kind::multiplies;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else if constexpr (std::is_arithmetic_v<T>) {
      return a * b;
    } else {
      return core::multiplies_op(a, b);
    }
  }
  template <class T>
    requires(constructible_from_int<T> && !std::is_aggregate_v<T>)
  UPSWEEP_HD static constexpr T identity() {
    return T(1);
  }
};

// Constants, not functions: device code can read a constant but cannot call the functions of numeric_limits.
template <class T>
inline constexpr T max_value =
    std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : (std::numeric_limits<T>::max)();
template <class T>
inline constexpr T lowest_value =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();

struct minimum {
  static constexpr op_kind kind = op_kind::minimum;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T a, T b) const {
    if constexpr (std::is_arithmetic_v<T>) {
      return b < a ? b : a;
    } else {
      return core::less_op(b, a) ? b : a;
    }
  }
  template <class T>
    requires std::numeric_limits<T>::is_specialized
  UPSWEEP_HD static constexpr T identity() {
    return max_value<T>;
  }
};

struct maximum {
  static constexpr op_kind kind = op_kind::maximum;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T a, T b) const {
    if constexpr (std::is_arithmetic_v<T>) {
      return a < b ? b : a;
    } else {
      return core::less_op(a, b) ? b : a;
    }
  }
  template <class T>
    requires std::numeric_limits<T>::is_specialized
  UPSWEEP_HD static constexpr T identity() {
    return lowest_value<T>;
  }
};

struct bit_and {
  static constexpr op_kind kind = op_kind::bit_and;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T a, T b) const {
    if constexpr (std::is_arithmetic_v<T>) {
      return a & b;
    } else {
      return core::bit_and_op(a, b);
    }
  }
  template <class T>
  UPSWEEP_HD static constexpr T identity() {
    return static_cast<T>(~T(0));
  }
};

struct bit_or {
  static constexpr op_kind kind = op_kind::bit_or;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T a, T b) const {
    if constexpr (std::is_arithmetic_v<T>) {
      return a | b;
    } else {
      return core::bit_or_op(a, b);
    }
  }
  template <class T>
  UPSWEEP_HD static constexpr T identity() {
    return T(0);
  }
};

struct bit_xor {
  static constexpr op_kind kind = op_kind::bit_xor;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T a, T b) const {
    if constexpr (std::is_arithmetic_v<T>) {
      return a ^ b;
    } else {
      return core::bit_xor_op(a, b);
    }
  }
  template <class T>
  UPSWEEP_HD static constexpr T identity() {
    return T(0);
  }
};

// The logical operators are a monoid on {0, 1} only. An algorithm maps each element to {0, 1} once, when it reads the
// element.
struct logical_and {
  static constexpr op_kind kind = op_kind::logical_and;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T a, T b) const {
    return T(a != T(0) && b != T(0));
  }
  template <class T>
  UPSWEEP_HD static constexpr T identity() {
    return T(1);
  }
  template <class T>
  UPSWEEP_HD static constexpr T to_accumulator(T x) {
    return T(x != T(0));
  }
};

struct logical_or {
  static constexpr op_kind kind = op_kind::logical_or;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T a, T b) const {
    return T(a != T(0) || b != T(0));
  }
  template <class T>
  UPSWEEP_HD static constexpr T identity() {
    return T(0);
  }
  template <class T>
  UPSWEEP_HD static constexpr T to_accumulator(T x) {
    return T(x != T(0));
  }
};

// Composition of affine maps x -> a·x + b modulo 2^32, with a in the low and b in the high half of a u64. Returns the
// map that applies `first`, then `second`. It does not commute. A scan with it computes every state of a linear
// congruential generator, or solves a first-order recurrence.
struct compose_affine {
  static constexpr op_kind kind = op_kind::compose_affine;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T first, T second) const {
    static_assert(sizeof(T) == 8 && std::is_unsigned_v<T>, "upsweep: compose_affine works on u64");
    const auto a1 = static_cast<std::uint32_t>(first), b1 = static_cast<std::uint32_t>(first >> 32);
    const auto a2 = static_cast<std::uint32_t>(second), b2 = static_cast<std::uint32_t>(second >> 32);
    return static_cast<T>(a1 * a2) | static_cast<T>(a2 * b1 + b2) << 32;
  }
  template <class T>
  UPSWEEP_HD static constexpr T identity() {
    return T(1);
  }
};

struct identity {
  static constexpr transform_kind kind = transform_kind::identity;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T x) const {
    return x;
  }
};

struct negate {
  static constexpr transform_kind kind = transform_kind::negate;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
#if defined(__CUDA_ARCH__)
      // ptxas 13.0 for sm_90 fuses min(min(r, -a), -b) into one three-way minimum and drops a minus sign. It does not
      // fuse this form.
      if constexpr (sizeof(T) == 4) {
        T minus;
        asm("{ .reg .b32 t; not.b32 t, %1; add.s32 %0, t, 1; }" : "=r"(minus) : "r"(x));
        return minus;
      }
#endif
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(U(0) - static_cast<U>(x));
    } else if constexpr (std::is_arithmetic_v<T>) {
      return -x;
    } else {
      return core::negate_op(x);
    }
  }
};

struct absolute {
  static constexpr transform_kind kind = transform_kind::absolute;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>) {
      return x;
    } else {
      return x < T(0) ? negate{}(x) : x;
    }
  }
};

struct square {
  static constexpr transform_kind kind = transform_kind::square;
  template <class T>
  UPSWEEP_HD constexpr T operator()(T x) const {
    return multiplies{}(x, x);
  }
};

template <class Op>
concept builtin_op = requires {
  { Op::kind } -> std::convertible_to<op_kind>;
};

template <class F>
concept builtin_transform = requires {
  { F::kind } -> std::convertible_to<transform_kind>;
};

template <class Op, class T>
concept has_identity = requires(const Op op) {
  { Op::template identity<T>() } -> std::convertible_to<T>;
} || requires(const Op op) {
  { op.identity() } -> std::convertible_to<T>;
};

template <class Op, class T>
concept folds = requires(const Op op, const T a, const T b) {
  { op(a, b) } -> std::convertible_to<T>;
};

namespace core {
template <class T, class Op>
UPSWEEP_THIS_SIDE constexpr T identity_here(const Op& op) {
  if constexpr (requires { Op::template identity<T>(); }) {
    return Op::template identity<T>();
  } else {
    return op.identity();
  }
}
}  // namespace core

template <class T, class Op>
UPSWEEP_HD constexpr T identity_of(const Op& op) {
  static_assert(
      has_identity<Op, T>,
      "upsweep: this operator has no identity; give it `static T identity()`, the element e with op(e, x) == x");
  if constexpr (core::gpus_have<T>) {
    return core::identity_here<T>(op);
  } else if constexpr (requires { Op::template identity<T>(); }) {
    return Op::template identity<T>();
  } else {
    return op.identity();
  }
}

// Maps an element to the value that the operator folds: 0 or 1 for the logical operators, unchanged for all others.
template <class Op, class T>
UPSWEEP_HD constexpr T to_accumulator(const Op&, T x) {
  if constexpr (requires { Op::template to_accumulator<T>(x); }) {
    return Op::template to_accumulator<T>(x);
  } else {
    return x;
  }
}

}  // namespace upsweep

#include "upsweep/operators/runtime_operators.hpp"  // last: needs all of the operators
