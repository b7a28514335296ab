// Tests of elements against a threshold, for kernels that take elements as the images of sort_order.hpp.
#pragma once

#include "upsweep/core/problem_base.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep {

// A test as the images that pass it, [low, high], or all but those.
struct interval {
  std::uint64_t low = 1, high = 0;
  std::uint32_t others = 0;
};

inline interval interval_of(dtype type, comparison test, scalar threshold) {
  return with_any_type(type, [&]<class T>(type_tag<T>) -> interval {
    using U = order_image<T>;
    constexpr bool floating = is_floating(dtype_of<T>);
    const U t = order_bits(threshold.as<T>()), nan = static_cast<U>(~U{0});
    constexpr U top = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
    const U most = floating ? static_cast<U>(top + infinity_bits<U>) : nan;
    const bool never = floating && t == nan;
    switch (test) {
      case comparison::less: return never || t == 0 ? interval{} : interval{0, t - std::uint64_t{1}, 0};
      case comparison::less_equal: return never ? interval{} : interval{0, t, 0};
      case comparison::greater: return never || t == most ? interval{} : interval{t + std::uint64_t{1}, most, 0};
      case comparison::greater_equal: return never ? interval{} : interval{t, most, 0};
      case comparison::equal: return never ? interval{} : interval{t, t, 0};
      case comparison::not_equal: break;
    }
    return never ? interval{1, 0, 1} : interval{t, t, 1};
  });
}

}  // namespace upsweep
