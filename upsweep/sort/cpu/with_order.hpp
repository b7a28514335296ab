// The order of keys that a problem asks for, as a comparison of their bits.
#pragma once

#include "upsweep/sort/order.hpp"
#include "upsweep/sort/problem.hpp"

namespace upsweep::sort_room {

// Calls f(type_tag<T>, before), before(a, b) telling of keys given as their bits.
template <class F>
void with_order(const problem& p, F&& f) {
  with_any_type(p.type, [&]<class T>(type_tag<T> tag) {
    using U = order_image<T>;
    const order_window<U> window(p.first_bit, p.last_bit, p.descending);
    f(tag,
      [window](U a, U b) { return window(order_bits_of<order_for<T>>(a)) < window(order_bits_of<order_for<T>>(b)); });
  });
}

}  // namespace upsweep::sort_room
