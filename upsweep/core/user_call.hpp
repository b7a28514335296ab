// Calls the caller's functions, and the operators (==, < and others) of the caller's types, from library code that is
// compiled for both host and device.
//
// If __host__ __device__ code calls a host-only function, nvcc compiles the call to nothing on the device, with a
// warning that it suppresses in system headers. The address of a function is a host address, and a kernel that calls it
// crashes. From __device__ code, the first is a compile error, and this header makes the second one too. The standard
// function objects (std::plus and others) are also host-only; this header gives the device equivalent code. Calls with
// elements that cannot be on a GPU, such as strings, are not changed.
#pragma once

#include "upsweep/core/config.hpp"
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <functional>
#include <type_traits>
#include <utility>
#endif

namespace upsweep::core {

template <class F>
struct standard_function {
  static constexpr bool known = false;
};
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

#define UPSWEEP_STANDARD_OF_TWO(NAME, SIGN)                                                                      \
  template <class T>                                                                                             \
  struct standard_function<std::NAME<T>> {                                                                       \
    static constexpr bool known = true;                                                                          \
    __device__ static constexpr decltype(std::NAME<T>{}(std::declval<const T&>(), std::declval<const T&>())) of( \
        const T& a, const T& b) {                                                                                \
      return a SIGN b;                                                                                           \
    }                                                                                                            \
  };                                                                                                             \
  template <>                                                                                                    \
  struct standard_function<std::NAME<void>> {                                                                    \
    static constexpr bool known = true;                                                                          \
    template <class A, class B>                                                                                  \
    __device__ static constexpr decltype(auto) of(A&& a, B&& b) {                                                \
      return static_cast<A&&>(a) SIGN static_cast<B&&>(b);                                                       \
    }                                                                                                            \
  }
#define UPSWEEP_STANDARD_OF_ONE(NAME, SIGN)                                                                          \
  template <class T>                                                                                                 \
  struct standard_function<std::NAME<T>> {                                                                           \
    static constexpr bool known = true;                                                                              \
    __device__ static constexpr decltype(std::NAME<T>{}(std::declval<const T&>())) of(const T& a) { return SIGN a; } \
  };                                                                                                                 \
  template <>                                                                                                        \
  struct standard_function<std::NAME<void>> {                                                                        \
    static constexpr bool known = true;                                                                              \
    template <class A>                                                                                               \
    __device__ static constexpr decltype(auto) of(A&& a) {                                                           \
      return SIGN static_cast<A&&>(a);                                                                               \
    }                                                                                                                \
  }
#define UPSWEEP_STANDARD_OF_A_RANGE(NAME, EXPRESSION)   \
  template <>                                           \
  struct standard_function<std::ranges::NAME> {         \
    static constexpr bool known = true;                 \
    template <class A, class B>                         \
    __device__ static constexpr bool of(A&& a, B&& b) { \
      return EXPRESSION;                                \
    }                                                   \
  }

UPSWEEP_STANDARD_OF_TWO(plus, +);
UPSWEEP_STANDARD_OF_TWO(minus, -);
UPSWEEP_STANDARD_OF_TWO(multiplies, *);
UPSWEEP_STANDARD_OF_TWO(divides, /);
UPSWEEP_STANDARD_OF_TWO(modulus, %);
UPSWEEP_STANDARD_OF_TWO(equal_to, ==);
UPSWEEP_STANDARD_OF_TWO(not_equal_to, !=);
UPSWEEP_STANDARD_OF_TWO(less, <);
UPSWEEP_STANDARD_OF_TWO(less_equal, <=);
UPSWEEP_STANDARD_OF_TWO(greater, >);
UPSWEEP_STANDARD_OF_TWO(greater_equal, >=);
UPSWEEP_STANDARD_OF_TWO(logical_and, &&);
UPSWEEP_STANDARD_OF_TWO(logical_or, ||);
UPSWEEP_STANDARD_OF_TWO(bit_and, &);
UPSWEEP_STANDARD_OF_TWO(bit_or, |);
UPSWEEP_STANDARD_OF_TWO(bit_xor, ^);
UPSWEEP_STANDARD_OF_ONE(negate, -);
UPSWEEP_STANDARD_OF_ONE(logical_not, !);
UPSWEEP_STANDARD_OF_ONE(bit_not, ~);
UPSWEEP_STANDARD_OF_A_RANGE(equal_to, static_cast<bool>(a == b));
UPSWEEP_STANDARD_OF_A_RANGE(not_equal_to, !static_cast<bool>(a == b));
UPSWEEP_STANDARD_OF_A_RANGE(less, static_cast<bool>(a < b));
UPSWEEP_STANDARD_OF_A_RANGE(greater, static_cast<bool>(b < a));
UPSWEEP_STANDARD_OF_A_RANGE(less_equal, !static_cast<bool>(b < a));
UPSWEEP_STANDARD_OF_A_RANGE(greater_equal, !static_cast<bool>(a < b));
template <>
struct standard_function<std::identity> {
  static constexpr bool known = true;
  template <class A>
  __device__ static constexpr A&& of(A&& a) {
    return static_cast<A&&>(a);
  }
};

#undef UPSWEEP_STANDARD_OF_TWO
#undef UPSWEEP_STANDARD_OF_ONE
#undef UPSWEEP_STANDARD_OF_A_RANGE

// Whether F is a function, a pointer to one, or a pointer to a member function.
template <class F>
inline constexpr bool is_an_address =
    std::is_function_v<std::remove_pointer_t<F>> || std::is_member_function_pointer_v<F>;
template <class... X>
inline constexpr bool gpus_have = (std::is_trivially_copyable_v<std::remove_cvref_t<X>> && ...);

#else
template <class>
inline constexpr bool is_an_address = false;
template <class...>
inline constexpr bool gpus_have = true;
#endif

template <class F, class... X>
UPSWEEP_HD constexpr void require_callable_on_a_gpu() {
#if defined(__CUDA_ARCH__)
  static_assert(
      !is_an_address<F> || !gpus_have<X...>,
      "upsweep: the address of a function is a host address; in a .cu file give a function object, or a lambda "
      "that is UPSWEEP_HD");
#endif
}

// Whether a function is device source only (upsweep/expression.hpp), or a class template that holds such a function:
// code that nvcc compiled cannot call it on a GPU, and the call goes to the run-time compiler.
template <class F>
inline constexpr bool is_only_source = requires { requires F::is_only_source; };
template <template <class...> class Holder, class... Parts>
  requires(!requires { Holder<Parts...>::is_only_source; })
inline constexpr bool is_only_source<Holder<Parts...>> = (is_only_source<Parts> || ...);

// Every function that launches a kernel with a caller's functions calls this. It ensures that no kernel runs the code
// that host_device_call compiles for a function that is source only.
template <class... F>
constexpr void require_not_only_source() {
  static_assert(!(is_only_source<F> || ...),
                "upsweep: a function that is source only cannot go into a compiled kernel");
}

template <class F, class... X>
UPSWEEP_THIS_SIDE constexpr decltype(auto) host_device_call(F&& f, X&&... x) {
#if defined(__CUDA_ARCH__) && !defined(__CUDACC_RTC__)
  using function = std::remove_cvref_t<F>;
  core::require_callable_on_a_gpu<function>();
  if constexpr (requires { requires function::is_only_source; }) {
    // nvcc compiles the CPU's templates for the GPU too. No kernel is launched with such a function.
    __trap();
    return decltype(f(static_cast<X&&>(x)...))();
  } else if constexpr (standard_function<function>::known) {
    return standard_function<function>::of(static_cast<X&&>(x)...);
  } else {
    return f(static_cast<X&&>(x)...);
  }
#else
  return f(static_cast<X&&>(x)...);
#endif
}
template <class F, class... X>
UPSWEEP_HD constexpr decltype(auto) call(F&& f, X&&... x) {
  if constexpr (gpus_have<X...>) {
    return core::host_device_call(f, static_cast<X&&>(x)...);
  } else {
    return f(static_cast<X&&>(x)...);
  }
}

#define UPSWEEP_BY_SIGN(NAME, RESULT, SIGN)                                \
  template <class A, class B>                                              \
  UPSWEEP_THIS_SIDE constexpr RESULT NAME##_here(const A& a, const B& b) { \
    return a SIGN b;                                                       \
  }                                                                        \
  template <class A, class B>                                              \
  UPSWEEP_HD constexpr RESULT NAME(const A& a, const B& b) {               \
    if constexpr (gpus_have<A, B>) {                                       \
      return core::NAME##_here(a, b);                                      \
    } else {                                                               \
      return a SIGN b;                                                     \
    }                                                                      \
  }
UPSWEEP_BY_SIGN(equal_to_op, bool, ==)
UPSWEEP_BY_SIGN(less_op, bool, <)
UPSWEEP_BY_SIGN(plus_op, auto, +)
UPSWEEP_BY_SIGN(minus_op, auto, -)
UPSWEEP_BY_SIGN(multiplies_op, auto, *)
UPSWEEP_BY_SIGN(bit_and_op, auto, &)
UPSWEEP_BY_SIGN(bit_or_op, auto, |)
UPSWEEP_BY_SIGN(bit_xor_op, auto, ^)
#undef UPSWEEP_BY_SIGN

template <class T>
UPSWEEP_THIS_SIDE constexpr auto negate_op_here(const T& x) {
  return -x;
}
template <class T>
UPSWEEP_HD constexpr auto negate_op(const T& x) {
  if constexpr (gpus_have<T>) {
    return core::negate_op_here(x);
  } else {
    return -x;
  }
}

// Wraps a standard function object for __device__ code that calls f directly.
template <class F>
struct called {
  F f;
  template <class... X>
  UPSWEEP_HD constexpr auto operator()(const X&... x) const -> decltype(f(x...)) {
    return core::call(f, x...);
  }
};

template <class... X, class F>
constexpr decltype(auto) callable_on_a_gpu(const F& f) {
  core::require_callable_on_a_gpu<F, X...>();
  if constexpr (standard_function<F>::known) {
    return called<F>{f};
  } else {
    return f;
  }
}

}  // namespace upsweep::core
