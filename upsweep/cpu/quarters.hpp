// A block's four quarters folded side by side, so that the operator's latency overlaps: what reduce and scan by
// operators of the user's own begin with.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "upsweep/operators.hpp"

namespace upsweep::cpu {

// The folds of in[0 … n) by quarters of n/4 elements, of which the last takes what is left over; n ≥ 4.
template <class T, class In, class Op, class F>
std::array<T, 4> fold_quarters(const In& in, std::uint64_t n, const Op& op, const F& f) {
  const auto x = [&](std::uint64_t i) { return upsweep::lifted(op, T(f(in[i]))); };
  const std::uint64_t quarter = n / 4;
  T a = x(0), b = x(quarter), c = x(2 * quarter), d = x(3 * quarter);
  for (std::uint64_t i = 1; i < quarter; ++i) {
    a = op(a, x(i));
    b = op(b, x(quarter + i));
    c = op(c, x(2 * quarter + i));
    d = op(d, x(3 * quarter + i));
  }
  for (std::uint64_t i = 4 * quarter; i < n; ++i) d = op(d, x(i));
  return {std::move(a), std::move(b), std::move(c), std::move(d)};
}

}  // namespace upsweep::cpu
