// Folds four quarters of a block in an interleaved loop, so that the latencies of the operator overlap. reduce and scan
// with user-defined operators begin with it. If the operator is slow, other threads continue the quarters. Which
// elements belong to a quarter depends on the count alone.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "upsweep/cpu/adaptive_grain.hpp"
#include "upsweep/operators/wide_accumulators.hpp"

namespace upsweep::cpu {

// The folds, in a carrier, of four quarters of in[0 … n). Each has n/4 elements, and the last also has the rest; n ≥ 4.
template <class T, class In, class Op, class F>
std::array<core::carrier<T, Op>, 4> fold_quarters(const In& in, std::uint64_t n, const Op& op, const F& f) {
  using W = core::carrier<T, Op>;
  const auto x = [&](std::uint64_t i) -> W { return upsweep::to_accumulator(op, T(f(in[i]))); };
  const std::uint64_t quarter = n / 4;
  W a = x(0), b = x(quarter), c = x(2 * quarter), d = x(3 * quarter);
  for (std::uint64_t i = 1; i < quarter; ++i) {
    a = op(a, x(i));
    b = op(b, x(quarter + i));
    c = op(c, x(2 * quarter + i));
    d = op(d, x(3 * quarter + i));
  }
  for (std::uint64_t i = 4 * quarter; i < n; ++i) d = op(d, x(i));
  return {std::move(a), std::move(b), std::move(c), std::move(d)};
}

// fold_quarters with measurement of its speed. `outer`: the stop flag of the enclosing blocks, or null.
template <class T, class In, class Op, class F>
[[gnu::noinline]] std::array<core::carrier<T, Op>, 4> measured_quarters(device& d, pace& known, const In& in,
                                                                        std::uint64_t n, const Op& op, const F& f,
                                                                        const stop_flag* outer) {
  using W = core::carrier<T, Op>;
  const auto x = [&](std::uint64_t i) -> W { return upsweep::to_accumulator(op, T(f(in[i]))); };
  const std::uint64_t quarter = n / 4;
  std::array<W, 4> folds{x(0), x(quarter), x(2 * quarter), x(3 * quarter)};
  const auto go_on = [&](std::uint64_t first, std::uint64_t last) {
    W a = folds[0], b = folds[1], c = folds[2], e = folds[3];
    for (std::uint64_t i = first; i < last; ++i) {
      a = op(a, x(i));
      b = op(b, x(quarter + i));
      c = op(c, x(2 * quarter + i));
      e = op(e, x(3 * quarter + i));
    }
    folds = {std::move(a), std::move(b), std::move(c), std::move(e)};
  };
  const std::uint64_t at = cpu::advance_while_fast(1, quarter, known, go_on, outer);
  if (at == quarter) {
    for (std::uint64_t i = 4 * quarter; i < n; ++i) folds[3] = op(folds[3], x(i));
    return folds;
  }
  cpu::run_chains(d, 4, outer, [&](std::uint64_t k, const auto& ask) {
    W all = folds[k];
    for (std::uint64_t i = k * quarter + at, last = k < 3 ? (k + 1) * quarter : n; i < last; ++i, ask())
      all = op(all, x(i));
    folds[k] = std::move(all);
  });
  return folds;
}
template <class T, class In, class Op, class F>
std::array<core::carrier<T, Op>, 4> fold_quarters_by_pace(device& d, const In& in, std::uint64_t n, const Op& op,
                                                          const F& f, const stop_flag* outer) {
  static constinit pace known;
  if (known.is_fast(n)) [[likely]]
    return cpu::fold_quarters<T>(in, n, op, f);
  return cpu::measured_quarters<T>(d, known, in, n, op, f, outer);
}

}  // namespace upsweep::cpu
