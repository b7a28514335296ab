// Scan on the CPU for types, operators and transforms of the user's own: one pass over memory.
//
// Threads take blocks in order. Each folds its block, which brings it into the cache, takes the carry from the block
// before, passes it on at once, and then scans its block from the cache: out[i] = carry ∘ (the fold from the start of
// the block to i). The grouping depends on n alone, so the result is the same with any number of threads. The operator
// need not commute.
#pragma once

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/scan/cpu/tuning.hpp"

namespace upsweep::cpu {

// Scans one block after `carry` and returns the fold of the block alone; n ≥ 1. Each element is read before its place
// is written.
template <bool Inclusive, class T, class In, class Out, class Op, class F>
T scan_block(const In& in, std::uint64_t n, Out out, const T& carry, const Op& op, const F& f) {
  T folded = upsweep::lifted(op, T(f(in[0])));
  out[0] = Inclusive ? T(op(carry, folded)) : carry;
  for (std::uint64_t i = 1; i < n; ++i) {
    const T x = upsweep::lifted(op, T(f(in[i])));
    if constexpr (!Inclusive) out[i] = op(carry, folded);
    folded = op(folded, x);
    if constexpr (Inclusive) out[i] = op(carry, folded);
  }
  return folded;
}

// `in` is an address, or anything else that has in[i] and in + k; so is `out`, of which nothing is read.
template <bool Inclusive, class T, class In, class Out, class Op, class F>
void scan_custom(upsweep::device& d, const In& in, std::uint64_t n, Out out, T init, Op op, F f) {
  constexpr std::uint64_t block = block_elements(scan_room::cpu_tuned.custom_block_bytes, sizeof(T));
  const std::uint64_t blocks = block_count(n, block);
  const auto size = [&](std::uint64_t b) { return b + 1 < blocks ? block : n - b * block; };

  T carry = init;  // what precedes the block whose turn it is
  if (blocks <= 1 || threads_of(d) == 1) {
    for (std::uint64_t b = 0; b < blocks; ++b)
      carry = op(carry, scan_block<Inclusive, T>(in + b * block, size(b), out + b * block, carry, op, f));
    return;
  }
  relay turns;
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag& stop) {
    const auto x = in + b * block;
    T folded = upsweep::lifted(op, T(f(x[0])));  // in scan_block's grouping
    for (std::uint64_t i = 1; i < size(b); ++i) folded = op(folded, upsweep::lifted(op, T(f(x[i]))));
    turns.await(b, stop);
    const T before = carry;
    carry = op(carry, folded);
    turns.pass(b);
    scan_block<Inclusive, T>(x, size(b), out + b * block, before, op, f);
  });
}

}  // namespace upsweep::cpu
