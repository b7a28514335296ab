// Counting functions that textbook variants of sort, select and histogram receive in place of their order, test or
// bins. They return the same results, and each call is one unit of work. So is an addition in the scans of counts. The
// variants compute places and decisions, not sums, so the chain behind a value is not followed: their span is the
// number of parallel steps.
#pragma once

#include "lens/cuda.hpp"

namespace upsweep::lens {

template <class Order, class Key>
struct counted_order : Order {
  bool less(Key a, Key b, where w = where::current()) const {
    now->stepped(w);
    return Order::less(a, b);
  }
  unsigned digit(Key key, unsigned first_bit, unsigned bits, where w = where::current()) const {
    now->stepped(w);
    return Order::digit(key, first_bit, bits);
  }
};

// A test, or bins, of elements of type T.
template <class F, class T>
struct counted : F {
  auto operator()(T x, where w = where::current()) const {
    now->stepped(w);
    return F::operator()(x);
  }
};

template <class Count>
struct counted_plus {
  Count operator()(Count a, Count b, where w = where::current()) const {
    now->stepped(w);
    return static_cast<Count>(a + b);
  }
  static Count identity() { return 0; }
};

}  // namespace upsweep::lens
