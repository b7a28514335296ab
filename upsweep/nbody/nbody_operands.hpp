// Operands of accelerations() in any memory space.
#pragma once

#include <type_traits>

#include "upsweep/core/operands.hpp"
#include "upsweep/nbody/nbody_gravitation.hpp"

namespace upsweep {

namespace nbody {
struct parameters;
}

namespace detail::nbody_impl {

// Replaces an omitted output.
struct no_operand {};

template <class P, class X>
concept joins = std::same_as<std::remove_cvref_t<P>, no_operand> || operands<X, P>;

template <class T, class... X>
constexpr bool elements_alike() {
  const auto of = []<class Y>(std::type_identity<Y>) {
    if constexpr (std::same_as<Y, no_operand>)
      return true;
    else
      return std::same_as<element_of<Y>, T>;
  };
  return (std::same_as<T, float> || std::same_as<T, double>) &&
         (of(std::type_identity<std::remove_cvref_t<X>>{}) && ...);
}

template <class T, class P>
core::operand<T> written_if_there(P&& p) {
  if constexpr (std::same_as<std::remove_cvref_t<P>, no_operand>) {
    return {};
  } else {
    return core::written_operand(p);
  }
}

template <class T>
struct evaluation {
  core::operand<const T> x, y, z, mass;
  core::operand<T> ax, ay, az, potential;  // the last may be empty
};

// Throws as accelerations() says.
template <class T>
void evaluate(const context&, const nbody::parameters&, const evaluation<T>&);

extern template void evaluate(const context&, const nbody::parameters&, const evaluation<float>&);
extern template void evaluate(const context&, const nbody::parameters&, const evaluation<double>&);

}  // namespace detail::nbody_impl

}  // namespace upsweep
