// What a rung of sort knows of its keys: they are unsigned integers of 4 or 8 bytes that hold the bits of a built-in
// type, and there is an order. A rung compares two of them or takes a digit out of one; either is one unit of work, and
// so is an addition in a scan of counts.
#pragma once

#include "upsweep/sort/sort_order.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::textbook::sort_variants {

template <class Key>
struct keys_order {
  key_order kind = key_order::plain;
  order_window<Key> window;  // descending order, and sorts by some of the bits

  UPSWEEP_HD Key image(Key key) const {
    switch (kind) {
      case key_order::plain: break;
      case key_order::with_sign: return window(order_bits_of<key_order::with_sign>(key));
      case key_order::floating: return window(order_bits_of<key_order::floating>(key));
    }
    return window(key);
  }
  UPSWEEP_HD bool less(Key a, Key b) const { return image(a) < image(b); }
  UPSWEEP_HD unsigned digit(Key key, unsigned first_bit, unsigned bits) const {
    return static_cast<unsigned>(image(key) >> first_bit) & ((1u << bits) - 1);
  }
};

// Calls f(order of the problem's keys).
template <class F>
void with_keys(const detail::sort_impl::problem& p, F f) {
  const auto of = [&]<class Key>(Key) {
    f(keys_order<Key>{order_of(p.type), order_window<Key>(p.first_bit, p.last_bit, p.descending)});
  };
  size_of(p.type) == 4 ? of(std::uint32_t{}) : of(std::uint64_t{});
}

inline const char* stable_variant_cannot(const detail::sort_impl::problem& p) {
  if (p.value_bytes > 0 || p.indices) return "values";
  if (size_of(p.type) < 4) return "keys of 1 or 2 bytes";
  return nullptr;
}

// Keys that are equal but not the same, -0 and +0 for one, must stay in order; a sort that is not stable cannot have
// any.
inline const char* unstable_variant_cannot(const detail::sort_impl::problem& p) {
  if (is_floating(p.type)) return "floats, of which different ones may be equal";
  if (p.first_bit > 0 || (p.last_bit > 0 && p.last_bit < 8 * size_of(p.type))) return "a range of key bits";
  return stable_variant_cannot(p);
}

}  // namespace upsweep::textbook::sort_variants
