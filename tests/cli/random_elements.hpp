// Random elements of every built-in type, with the difficult cases for sorts and selections: equal elements, both
// zeros, infinities, NaNs.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "upsweep/types.hpp"

template <class T>
std::vector<T> random_elements(std::size_t n, unsigned seed, bool special = true) {
  std::mt19937_64 random(seed);
  std::vector<T> x(n);
  for (T& e : x) {
    const std::uint64_t bits = random();
    if constexpr (upsweep::is_floating(upsweep::dtype_of<T>)) {
      const float small = static_cast<float>(static_cast<int>(bits % 4001) - 2000) / 16;
      const float specials[]{0.0f, -0.0f, std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(), std::nanf("")};
      e = static_cast<T>(special && bits >> 60 == 0 ? specials[(bits >> 32) % 5] : small);
    } else {
      e = static_cast<T>(bits >> 62 == 0 ? bits % 7 : bits >> 20);
    }
  }
  return x;
}
