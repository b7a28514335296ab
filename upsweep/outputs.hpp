// outputs: what may stand, besides memory, where a call writes.
//
//   upsweep::reduce_by_key(cpu, keys, amounts, upsweep::discard, sums);              // nobody wants the keys
//   upsweep::copy_if(gpu, x.span(), upsweep::output_through(y.span(), to_celsius{}), upsweep::at_least(300.0f));
//   upsweep::inclusive_scan(cpu, amounts, upsweep::output_through(shares, share_of{total}));
//
//   discard                 what is written there is not kept
//   output_through(y, f)    y[i] = f(v) where a call writes v to place i
//
// They stand for an output of scan.hpp, of copy_if, select_flagged, unique, unique_by_key, run_length_encode,
// partition_copy and of the calls by key in segmented.hpp. discard has room for everything; what goes to it is neither
// written nor counted against a size.
//
// Requires  y a device span, a buffer or a contiguous range that outlives the call; f callable as const, from several
//           threads at once, with what the call writes (a scan: its fold). The input is not y.
// Where     on the CPU whatever the context where no operand lies in device memory; in device memory on CUDA where nvcc
//           compiles the call (a .cu file, f being UPSWEEP_HD), and not on OpenCL.
#pragma once

#include <tuple>

#include "upsweep/core/call.hpp"
#include "upsweep/core/making.hpp"

namespace upsweep {

namespace core {

// In the place of an address, for what is not kept.
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

// ... and for what f changes on its way.
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

template <home Home, class T, class F>
struct changed_output {
  operand<T> memory;
  F f;
};

template <class Y>
inline constexpr bool is_sink = false;
template <>
inline constexpr bool is_sink<discarded> = true;
template <home Home, class T, class F>
inline constexpr bool is_sink<changed_output<Home, T, F>> = true;

template <>
inline constexpr home home_of<discarded> = home::anywhere;
template <home Home, class T, class F>
inline constexpr home home_of<changed_output<Home, T, F>> = Home;

// Memory, or one of these.
template <class Y>
concept any_output = operands<Y> || is_sink<std::remove_cvref_t<Y>>;

// What each is as an address, as memory that nothing else may overlap, and how much it holds.
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
std::uint64_t room_of(Y&& y) {
  return std::same_as<std::remove_cvref_t<Y>, discarded> ? ~std::uint64_t{0} : core::memory_of(y).size();
}

// The memory that an input is, or none.
template <class X>
operand<const value_of<X>> memory_read(const X& x) {
  if constexpr (in_memory<X>) {
    return core::read_operand(x);
  } else {
    return {};
  }
}

// Whether what is written, a V, has a place there; if not, this does not compile and says why.
template <class V, class Y>
constexpr bool takes() {
  using O = std::remove_cvref_t<Y>;
  if constexpr (operands<Y>) {
    constexpr bool same = std::same_as<element_of<O>, V>;
    static_assert(same,
                  "upsweep: this output's elements are of another type than what is written; give it one of that type, "
                  "or an output_through a conversion");
    return same;
  } else if constexpr (std::same_as<O, discarded>) {
    return true;
  } else {
    using F = decltype(O::f);
    core::require_both_sides<F>();
    constexpr bool called = std::is_invocable_v<const F&, const V&>;
    static_assert(called, "upsweep: output_through calls f with what is written, as const; give it such a function");
    return called;
  }
}

// All in device memory, all in the host's, or nowhere.
template <class... X>
inline constexpr bool on_one_side = !((home_of<X> == home::host) || ...) || !((home_of<X> == home::device) || ...);

// Outputs first. Forms for memory alone are left what is all of it memory.
template <class Outputs, class... X>
inline constexpr bool is_made_or_sunk = false;
template <class... Y, class... X>
inline constexpr bool is_made_or_sunk<std::tuple<Y...>, X...> =
    (any_output<Y> && ...) && (readable_input<X> && ...) && on_one_side<Y..., X...> &&
    !((in_memory<X> && ...) && (operands<Y> && ...));
template <class Outputs, class... X>
concept made_or_sunk = is_made_or_sunk<Outputs, X...>;

// Where operands of which one is made, or no memory, are worked on.
template <class... X>
context worked_on_by(const context& asked) {
  return ((home_of<X> == home::device) || ...) || asked.kind() == backend::cpu ? asked : context::cpu();
}

}  // namespace core

inline constexpr core::discarded discard{};

template <class Y, class F>
  requires operands<Y>
auto output_through(Y&& y, F f) {
  core::require_lasting<Y>();
  return core::changed_output<core::home_of<Y>, element_of<Y>, F>{core::written_operand(y), std::move(f)};
}

}  // namespace upsweep
