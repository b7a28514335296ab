// Steps that say which sequences they read may be read in bulk and once: `sequences` of `element`s, at from(k); the
// result goes to to(). extend and advance then take the elements; advance moves the state on and returns the result.
#pragma once

#include <concepts>

namespace upsweep {

template <class Steps>
concept by_element = requires(const Steps& s, typename Steps::map f, typename Steps::state& state,
                              const typename Steps::element (&x)[Steps::sequences]) {
  { s.from(0) } -> std::convertible_to<const typename Steps::element*>;
  { s.to() } -> std::convertible_to<typename Steps::element*>;
  { s.extend(f, x) } -> std::convertible_to<typename Steps::map>;
  { s.advance(x, state) } -> std::convertible_to<typename Steps::element>;
};

}  // namespace upsweep
