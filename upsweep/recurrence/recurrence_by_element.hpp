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

// Steps may declare that they run one after the other: in_order(n) for all n steps; must_step(f, s), on the CPU, for
// the steps of a chain that f was composed of, if f applied to s may differ from the steps by more than rounding.
template <class Steps>
concept says_in_order = requires(const Steps& steps) {
  { steps.in_order(std::uint64_t{}) } -> std::convertible_to<bool>;
};
template <class Steps>
concept says_must_step = requires(const Steps& steps, const typename Steps::map& f, const typename Steps::state& s) {
  { steps.must_step(f, s) } -> std::convertible_to<bool>;
};

}  // namespace upsweep
