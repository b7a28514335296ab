// Scan on the CPU for types, operators and transforms of the user's own: one pass over memory.
//
// Threads take blocks in order. Each folds its block, which brings it into the cache, takes the carry from the block
// before, passes it on at once, and then scans its block from the cache. A block is four strips, folded and scanned
// side by side, so that the operator's latency overlaps: out[i] = carry ∘ (the fold from the start of the strip to
// i). The grouping depends on n alone, so the result is the same with any number of threads. The operator need not
// commute.
#pragma once

#include <array>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/cpu/quarters.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/scan/cpu/tuning.hpp"

namespace upsweep::cpu {

// Elements of a strip of a block of n; the last of four takes what is left over. A short block is one strip.
constexpr std::uint64_t strip_elements(std::uint64_t n) { return n < 64 ? n : n / 4; }

// A scan as it goes through a strip: read, take in, write, one element after the other.
template <bool Inclusive, class T, class In, class Out, class Op, class F>
class strip_scan {
 public:
  // Of whole numbers any grouping gives the same bits, and the shortest is taken.
  static constexpr bool exact = std::is_integral_v<T>;

  // Scans in[first] after `before`.
  strip_scan(const In& in, const Out& out, std::uint64_t first, const T& before, const Op& op, const F& f)
      : in_(in), out_(out), op_(op), f_(f), before_(before), folded_(element(first)) {
    const T next = op_(before_, folded_);
    out_[first] = Inclusive ? next : before_;
    if constexpr (exact) folded_ = next;
  }
  void take(std::uint64_t i) {
    const T x = element(i);
    if constexpr (!Inclusive) put(i);
    folded_ = op_(folded_, x);
    if constexpr (Inclusive) put(i);
  }
  // What follows the strip's last element.
  T carry() const { return exact ? folded_ : T(op_(before_, folded_)); }

 private:
  T element(std::uint64_t i) const { return upsweep::lifted(op_, T(f_(in_[i]))); }
  void put(std::uint64_t i) {
    if constexpr (exact)
      out_[i] = folded_;
    else
      out_[i] = op_(before_, folded_);
  }

  In in_;
  Out out_;
  const Op& op_;
  const F& f_;
  T before_, folded_;
};

// Scans n ≥ 1 elements after `carry`, strip by strip, and returns what follows them. Each element is read before its
// place is written.
template <bool Inclusive, class T, class In, class Out, class Op, class F>
T scan_block(const In& in, std::uint64_t n, const Out& out, T carry, const Op& op, const F& f) {
  const std::uint64_t size = strip_elements(n);
  for (std::uint64_t first = 0, last; first < n; first = last) {
    last = n - first < 2 * size ? n : first + size;
    strip_scan<Inclusive, T, In, Out, Op, F> strip(in, out, first, carry, op, f);
    for (std::uint64_t i = first + 1; i < last; ++i) strip.take(i);
    carry = strip.carry();
  }
  return carry;
}

// The four strips of a block, after `before` each.
template <bool Inclusive, class T, class In, class Out, class Op, class F>
void scan_strips(const In& in, std::uint64_t n, const Out& out, const std::array<T, 4>& before, const Op& op,
                 const F& f) {
  using strip = strip_scan<Inclusive, T, In, Out, Op, F>;
  const std::uint64_t size = strip_elements(n);
  strip a(in, out, 0, before[0], op, f), b(in, out, size, before[1], op, f), c(in, out, 2 * size, before[2], op, f),
      d(in, out, 3 * size, before[3], op, f);
  for (std::uint64_t i = 1; i < size; ++i) {
    a.take(i);
    b.take(size + i);
    c.take(2 * size + i);
    d.take(3 * size + i);
  }
  for (std::uint64_t i = 4 * size; i < n; ++i) d.take(i);
}

// `in` is an address, or anything else that has in[i] and in + k; so is `out`, of which nothing is read.
template <bool Inclusive, class T, class In, class Out, class Op, class F>
void scan_custom(upsweep::device& d, const In& in, std::uint64_t n, Out out, T init, Op op, F f) {
  constexpr std::uint64_t block = block_elements(scan_room::cpu_tuned.custom_block_bytes, sizeof(T));
  const std::uint64_t blocks = block_count(n, block);
  const auto size = [&](std::uint64_t b) { return b + 1 < blocks ? block : n - b * block; };

  T carry = init;  // what precedes the block whose turn it is
  if (blocks <= 1 || threads_of(d) == 1) {
    for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {  // in turn
      carry = scan_block<Inclusive, T>(in + b * block, size(b), out + b * block, carry, op, f);
    });
    return;
  }
  relay turns;
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag& stop) {
    const auto x = in + b * block;
    const auto y = out + b * block;
    if (strip_elements(size(b)) == size(b)) {  // only the last block is so short
      turns.await(b, stop);
      scan_block<Inclusive, T>(x, size(b), y, carry, op, f);
      return;
    }
    const std::array<T, 4> folded = cpu::fold_quarters<T>(x, size(b), op, f);
    turns.await(b, stop);
    const T one = op(carry, folded[0]), two = op(one, folded[1]), three = op(two, folded[2]);
    const std::array<T, 4> before{carry, one, two, three};
    carry = op(three, folded[3]);
    turns.pass(b);
    cpu::scan_strips<Inclusive, T>(x, size(b), y, before, op, f);
  });
}

}  // namespace upsweep::cpu
