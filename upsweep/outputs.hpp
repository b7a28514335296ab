// outputs: output adaptors. Some calls accept them instead of an output in memory.
//
//   upsweep::reduce_by_key(cpu, keys, amounts, upsweep::discard_output, sums);       // the keys are not kept
//   upsweep::copy_if(gpu, x.span(), upsweep::transform_output(y.span(), to_celsius{}), upsweep::at_least(300.0f));
//   upsweep::inclusive_scan(cpu, amounts, upsweep::transform_output(shares, share_of{total}));
//
//   discard_output          ignores every element written
//   transform_output(y, f)  y[i] = f(v) when a call writes v to index i
//
// The following calls accept output adaptors: the scans of scan.hpp, copy_if, select_flagged, unique, unique_by_key,
// run_length_encode, partition_copy, and the calls by key of segmented.hpp. discard_output has unlimited capacity:
// elements written to it are not stored and do not count against a size.
//
// Requires     y is a device span, a buffer, or a contiguous range that outlives the call. f is callable as const, from
//              several threads at once, with the values that the call writes (a scan writes its fold). The input is not
//              y.
// Where        If no operand is in device memory, the CPU does the work, whatever the context. In device memory: on
//              CUDA when nvcc compiles the call (a .cu file, with f UPSWEEP_HD); not on OpenCL.
#pragma once

#include <tuple>

#include "upsweep/core/lazy_view.hpp"
#include "upsweep/core/user_call.hpp"

namespace upsweep {

namespace core {

// Used like a pointer. Ignores every assignment.
struct nowhere {
  struct place {
    template <class V>
    UPSWEEP_HD const place& operator=(const V&) const {
      return *this;
    }
  };
  UPSWEEP_HD place operator[](std::uint64_t) const { return {}; }
  UPSWEEP_HD nowhere operator+(std::uint64_t) const { return {}; }
};

// Used like a pointer. Assigns f(v) when v is assigned.
template <class T, class F>
struct written_through {
  T* to;
  F f;
  struct place {
    T* at;
    const F& f;
    template <class V>
    UPSWEEP_HD const place& operator=(const V& v) const {
      *at = static_cast<T>(core::call(f, v));
      return *this;
    }
  };
  UPSWEEP_HD place operator[](std::uint64_t i) const { return {to + i, f}; }
  UPSWEEP_HD written_through operator+(std::uint64_t k) const { return {to + k, f}; }
};

struct discarded {};

template <memory_space Space, class T, class F>
struct changed_output {
  operand<T> memory;
  F f;
};

template <class Y>
inline constexpr bool is_sink = false;
template <>
inline constexpr bool is_sink<discarded> = true;
template <memory_space Space, class T, class F>
inline constexpr bool is_sink<changed_output<Space, T, F>> = true;

template <>
inline constexpr memory_space memory_space_of<discarded> = memory_space::any;
template <memory_space Space, class T, class F>
inline constexpr memory_space memory_space_of<changed_output<Space, T, F>> = Space;

// An operand in memory or an output adaptor.
template <class Y>
concept any_output = operands<Y> || is_sink<std::remove_cvref_t<Y>>;

// places_of: the output as an address or adaptor that can be indexed. memory_of: the memory that no other operand may
// overlap. capacity_of: the capacity, in elements.
template <class Y>
auto places_of(Y&& y) {
  using O = std::remove_cvref_t<Y>;
  if constexpr (std::same_as<O, discarded>) {
    return nowhere{};
  } else if constexpr (is_sink<O>) {
    return written_through<typename decltype(y.memory)::value_type, decltype(y.f)>{y.memory.data(), y.f};
  } else {
    return core::written_operand(y).data();
  }
}
template <class Y>
auto memory_of(Y&& y) {
  using O = std::remove_cvref_t<Y>;
  if constexpr (std::same_as<O, discarded>) {
    return operand<std::byte>();
  } else if constexpr (is_sink<O>) {
    return y.memory;
  } else {
    return core::written_operand(y);
  }
}
template <class Y>
std::uint64_t capacity_of(Y&& y) {
  return std::same_as<std::remove_cvref_t<Y>, discarded> ? ~std::uint64_t{0} : core::memory_of(y).size();
}

// The memory of an input; empty for a lazy view.
template <class X>
operand<const value_of<X>> memory_read(const X& x) {
  if constexpr (in_memory<X>) {
    return core::read_operand(x);
  } else {
    return {};
  }
}

// Whether the output accepts elements of type V. If not, compilation fails with a message that says why.
template <class V, class Y>
constexpr bool takes() {
  using O = std::remove_cvref_t<Y>;
  if constexpr (operands<Y>) {
    constexpr bool same = std::same_as<element_of<O>, V>;
    static_assert(
        same,
        "upsweep: the elements of this output have another type than the values written; give an output of that "
        "type, or a transform_output that converts");
    return same;
  } else if constexpr (std::same_as<O, discarded>) {
    return true;
  } else {
    using F = decltype(O::f);
    core::require_both_sides<F>();
    constexpr bool called = std::is_invocable_v<const F&, const V&>;
    static_assert(called,
                  "upsweep: transform_output calls f as const, with the values written; give it such a function");
    return called;
  }
}

// Whether the operands are compatible: not one in host memory and another in device memory.
template <class... X>
inline constexpr bool on_one_side =
    !((memory_space_of<X> == memory_space::host) || ...) || !((memory_space_of<X> == memory_space::device) || ...);

// Whether at least one operand is a lazy view or an output adaptor. The tuple holds the outputs. Calls with all
// operands in memory use other overloads.
template <class Outputs, class... X>
inline constexpr bool is_made_or_sunk = false;
template <class... Y, class... X>
inline constexpr bool is_made_or_sunk<std::tuple<Y...>, X...> =
    (any_output<Y> && ...) && (readable_input<X> && ...) && on_one_side<Y..., X...> &&
    !((in_memory<X> && ...) && (operands<Y> && ...));
template <class Outputs, class... X>
concept made_or_sunk = is_made_or_sunk<Outputs, X...>;

// The context that does the work when an operand is a lazy view or an output adaptor.
template <class... X>
context worked_on_by(const context& asked) {
  return ((memory_space_of<X> == memory_space::device) || ...) || asked.kind() == backend::cpu ? asked : context::cpu();
}

}  // namespace core

inline constexpr core::discarded discard_output{};

template <class Y, class F>
  requires operands<Y>
auto transform_output(Y&& y, F f) {
  core::require_lasting<Y>();
  return core::changed_output<core::memory_space_of<Y>, element_of<Y>, F>{core::written_operand(y), std::move(f)};
}

}  // namespace upsweep
