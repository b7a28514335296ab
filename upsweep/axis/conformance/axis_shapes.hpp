// The shapes for the conformance tests of algorithms along an axis.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "upsweep/axis/axis_layout.hpp"
#include "upsweep/conformance/first_difference.hpp"

namespace upsweep::detail::axis_impl {

// Of a bench, before n is known: rows of 1024, or the columns of a matrix that is about square.
inline constexpr std::uint64_t to_be_chosen = ~std::uint64_t{0};
inline constexpr lines bench_rows{1, to_be_chosen, 1}, bench_columns{1, to_be_chosen, 2};

// Lines of n elements, or a few less: along all axes, of one element, of none, few and many, primes.
inline lines lines_in_turn(const lines& wanted, std::uint64_t n, std::uint64_t turn) {
  const auto about = [&](double share) {
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(std::pow(static_cast<double>(n), share)), 1);
  };
  if (wanted == bench_rows)
    return {n / std::min<std::uint64_t>(std::max<std::uint64_t>(n, 1), 1024), std::min<std::uint64_t>(n, 1024), 1};
  if (wanted == bench_columns) {
    std::uint64_t length = 1;
    while (length * length * 4 <= n) length *= 2;
    return {1, length, n / length};
  }
  switch (turn % 13) {
    case 0: return {1, n, 1};
    case 1: return {1, about(0.5), n / about(0.5)};
    case 2: return {n / 5, 5, 1};
    case 3: return {1, n / 3, 3};
    case 4: return {n / (31 * 7), 31, 7};
    case 5: return {n, 1, 1};
    case 6: return {1, n / 1021, 1021};
    case 7: return {n / 129, 129, 1};
    case 8: return {3, n / 900, 300};
    case 9: return {1, 1, n};
    case 10: return {n / about(0.3) / 17, about(0.3), 17};
    case 11: return turn % 2 ? lines{n / 7 + 1, 0, 3} : lines{n % 100, 0, 1};
    default: return {n / (2 * about(0.6)), about(0.6), 2};
  }
}

// The first line that is bad, or l.count(): looked for on all processors.
template <class Bad>
std::uint64_t first_bad_line(const lines& l, Bad bad) {
  const std::uint64_t at_once = checked_at_once / std::max<std::uint64_t>(l.length, 1) + 1;
  return first_found(0, l.count(), at_once, [&](std::uint64_t begin, std::uint64_t end, std::uint64_t found) {
    for (std::uint64_t line = begin; line < end && line < found; ++line)
      if (bad(line)) return line;
    return found;
  });
}

inline std::string text_of(const lines& l) {
  return "{" + std::to_string(l.outer) + ", " + std::to_string(l.length) + ", " + std::to_string(l.inner) + "}";
}

}  // namespace upsweep::detail::axis_impl
