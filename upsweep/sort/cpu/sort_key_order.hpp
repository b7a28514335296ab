// The order of keys that a problem requests, as a comparison of their bits.
#pragma once

#include "upsweep/sort/sort_order.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {

// Calls f(type_tag<T>, before), where before(a, b) compares keys given as their bits.
template <class F>
void with_order(const problem& p, F&& f) {
  with_any_type(p.type, [&]<class T>(type_tag<T> tag) {
    using U = order_image<T>;
    const order_window<U> window(p.first_bit, p.last_bit, p.descending);
    f(tag,
      [window](U a, U b) { return window(order_bits_of<order_for<T>>(a)) < window(order_bits_of<order_for<T>>(b)); });
  });
}

}  // namespace upsweep::detail::sort_impl
