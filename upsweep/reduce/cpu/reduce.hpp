// Reduce on the CPU for types, operators and transforms of the user's own.
//
// Blocks of a fixed size are folded side by side, then their values in a tree; everything stays in order, so the
// operator need not commute, and the grouping depends on n alone, so the result is the same with any number of threads.
#pragma once

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/cpu/quarters.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/reduce/cpu/tuning.hpp"

namespace upsweep::cpu {

// x_0 ∘ … ∘ x_{n-1} for n ≥ 1.
template <class T, class In, class Op, class F>
T fold_block(const In& in, std::uint64_t n, const Op& op, const F& f) {
  if (n < 16) {
    const auto x = [&](std::uint64_t i) { return upsweep::lifted(op, T(f(in[i]))); };
    T all = x(0);
    for (std::uint64_t i = 1; i < n; ++i) all = op(all, x(i));
    return all;
  }
  const std::array<T, 4> folds = cpu::fold_quarters<T>(in, n, op, f);
  return op(T(op(folds[0], folds[1])), T(op(folds[2], folds[3])));
}

// Folds values[0 … count) in a balanced tree, in order, in place; count ≥ 1.
template <class Values, class Join>
decltype(auto) fold_tree(Values& values, std::uint64_t count, const Join& join) {
  for (; count > 1; count = (count + 1) / 2)
    for (std::uint64_t i = 0; i < (count + 1) / 2; ++i)
      values[i] = 2 * i + 1 < count ? join(values[2 * i], values[2 * i + 1]) : values[2 * i];
  return values[0];
}

// `in` is an address, or anything else that has in[i] and in + k.
template <class T, class In, class Op, class F>
void reduce_custom(upsweep::device& d, const In& in, std::uint64_t n, T* out, T init, Op op, F f) {
  if (n == 0) {
    *out = init;
    return;
  }
  constexpr std::uint64_t block = block_elements(reduce_room::cpu_tuned.custom_block_bytes, sizeof(T));
  const std::uint64_t blocks = block_count(n, block);
  if (blocks == 1) {
    *out = op(init, fold_block<T>(in, n, op, f));
    return;
  }
  block_values<T> folded(d, "reduce/blocks", blocks, init);
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
    folded[b] = fold_block<T>(in + b * block, b + 1 < blocks ? block : n - b * block, op, f);
  });
  *out = op(init, T(fold_tree(folded, blocks, [&](const T& a, const T& b) { return T(op(a, b)); })));
}

}  // namespace upsweep::cpu
