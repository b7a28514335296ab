// reduce on the CPU for user-defined types, operators and transforms.
//
// Blocks are folded in parallel, then their values in a tree. The order is kept, so the operator need not commute. The
// grouping depends on n alone, so the result is the same with any number of threads at any speed.
#pragma once

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/cpu/unrolled_fold.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/reduce/cpu/reduce_cpu_tuning.hpp"

namespace upsweep::cpu {

// x_0 ∘ … ∘ x_{n-1} for n ≥ 1.
template <class T, class In, class Op, class F>
core::carrier<T, Op> fold_block(const In& in, std::uint64_t n, const Op& op, const F& f) {
  using W = core::carrier<T, Op>;
  if (n < 16) {
    const auto x = [&](std::uint64_t i) -> W { return upsweep::to_accumulator(op, T(f(in[i]))); };
    W all = x(0);
    for (std::uint64_t i = 1; i < n; ++i) all = op(all, x(i));
    return all;
  }
  const std::array<W, 4> folds = cpu::fold_quarters<T>(in, n, op, f);
  return op(W(op(folds[0], folds[1])), W(op(folds[2], folds[3])));
}

// fold_block for an operator of unknown cost: if it is slow, all threads share the quarters.
template <class T, class In, class Op, class F>
core::carrier<T, Op> fold_block_by_pace(upsweep::device& d, const In& in, std::uint64_t n, const Op& op, const F& f,
                                        const stop_flag* outer) {
  using W = core::carrier<T, Op>;
  if (n < 16) return cpu::fold_block<T>(in, n, op, f);
  const std::array<W, 4> folds = cpu::fold_quarters_by_pace<T>(d, in, n, op, f, outer);
  return op(W(op(folds[0], folds[1])), W(op(folds[2], folds[3])));
}

// Folds values[0 … count) in a balanced tree, in order and in place; count ≥ 1.
template <class Values, class Join>
decltype(auto) fold_tree(Values& values, std::uint64_t count, const Join& join) {
  for (; count > 1; count = (count + 1) / 2)
    for (std::uint64_t i = 0; i < (count + 1) / 2; ++i)
      values[i] = 2 * i + 1 < count ? join(values[2 * i], values[2 * i + 1]) : values[2 * i];
  return values[0];
}

// `in` is an address, or any type with in[i] and in + k.
template <class T, class In, class Op, class F>
void reduce_custom(upsweep::device& d, const In& in, std::uint64_t n, T* out, T init, Op op, F f) {
  using W = core::carrier<T, Op>;
  if (n == 0) {
    *out = init;
    return;
  }
  constexpr std::uint64_t block = block_elements(detail::reduce_impl::cpu_tuned.custom_block_bytes, sizeof(T));
  const std::uint64_t blocks = block_count(n, block);
  if (blocks == 1) {
    *out = static_cast<T>(op(W(init), cpu::fold_block_by_pace<T>(d, in, n, op, f, nullptr)));
    return;
  }
  block_values<W> folded(d, "reduce/blocks", blocks, init);
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag& stop) {
    const std::uint64_t size = b + 1 < blocks ? block : n - b * block;
    folded[b] = cpu::fold_block_by_pace<T>(d, in + b * block, size, op, f, &stop);
  });
  *out = static_cast<T>(op(W(init), W(fold_tree(folded, blocks, [&](const W& a, const W& b) { return W(op(a, b)); }))));
}

}  // namespace upsweep::cpu
