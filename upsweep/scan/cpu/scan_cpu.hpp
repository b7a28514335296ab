// scan on the CPU for user-defined types, operators and transforms: one pass over memory.
//
// Threads take blocks in order. Each thread folds its block, which loads it into the cache, takes the carry from the
// previous block, passes its own carry on at once, and then scans its block from the cache. A block is four strips,
// folded and scanned in an interleaved loop so that the latencies of the operator overlap: out[i] = carry ∘ (the fold
// from the start of the strip to i). The grouping depends on n alone, so the result is the same with any number of
// threads. The operator need not commute. If it is slow, all threads share the strips of one block after another.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "upsweep/cpu/adaptive_grain.hpp"
#include "upsweep/cpu/unrolled_fold.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/scan/cpu/scan_cpu_tuning.hpp"

namespace upsweep::cpu {

// The number of elements of a strip in a block of n; the last of four strips also has the rest. A short block is one
// strip.
constexpr std::uint64_t strip_elements(std::uint64_t n) { return n < 64 ? n : n / 4; }

// The state of the scan of one strip. It reads, folds and writes one element after the other.
template <bool Inclusive, class T, class In, class Out, class Op, class F>
class strip_scan {
 public:
  // For integers every grouping gives the same bits, and the cheapest is used.
  static constexpr bool exact = std::is_integral_v<T>;
  using W = core::carrier<T, Op>;

  // Scans in[first] after `before`.
  strip_scan(const In& in, const Out& out, std::uint64_t first, const W& before, const Op& op, const F& f)
      : in_(in), out_(out), op_(op), f_(f), before_(before), folded_(element(first)) {
    const W next = op_(before_, folded_);
    out_[first] = static_cast<T>(Inclusive ? next : before_);
    if constexpr (exact) folded_ = next;
  }
  void take(std::uint64_t i) {
    const W x = element(i);
    if constexpr (!Inclusive) put(i);
    folded_ = op_(folded_, x);
    if constexpr (Inclusive) put(i);
  }
  // The carry after the last element of the strip.
  W carry() const { return exact ? folded_ : W(op_(before_, folded_)); }
  const W& before() const { return before_; }
  const W& folded() const { return folded_; }  // includes `before` if exact

 private:
  W element(std::uint64_t i) const { return upsweep::to_accumulator(op_, T(f_(in_[i]))); }
  void put(std::uint64_t i) {
    if constexpr (exact)
      out_[i] = static_cast<T>(folded_);
    else
      out_[i] = static_cast<T>(op_(before_, folded_));
  }

  In in_;
  Out out_;
  const Op& op_;
  const F& f_;
  W before_, folded_;
};

// Scans n ≥ 1 elements after `carry`, strip by strip, and returns the carry after them. Each element is read before its
// output is written.
template <bool Inclusive, class T, class In, class Out, class Op, class F>
core::carrier<T, Op> scan_block(const In& in, std::uint64_t n, const Out& out, core::carrier<T, Op> carry, const Op& op,
                                const F& f) {
  const std::uint64_t size = strip_elements(n);
  for (std::uint64_t first = 0, last; first < n; first = last) {
    last = n - first < 2 * size ? n : first + size;
    strip_scan<Inclusive, T, In, Out, Op, F> strip(in, out, first, carry, op, f);
    for (std::uint64_t i = first + 1; i < last; ++i) strip.take(i);
    carry = strip.carry();
  }
  return carry;
}

// Scans the four strips of a block, strip s after before[s].
template <bool Inclusive, class T, class In, class Out, class Op, class F>
void scan_strips(const In& in, std::uint64_t n, const Out& out, const std::array<core::carrier<T, Op>, 4>& before,
                 const Op& op, const F& f) {
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

// Scans the rest of a block with a slow operator, from index `at` on, which is in the current strip. First the strips
// are folded in parallel, and the fold at every element is stored. Then the prefix of each strip is applied to all
// elements in parallel. Returns the carry after the block.
template <bool Inclusive, class T, class In, class Out, class Op, class F>
[[gnu::noinline]] core::carrier<T, Op> finish_slow_scan(upsweep::device& d, const In& in, std::uint64_t n,
                                                        const Out& out, std::uint64_t at,
                                                        const strip_scan<Inclusive, T, In, Out, Op, F>& strip,
                                                        const Op& op, const F& f, const stop_flag* outer) {
  using W = core::carrier<T, Op>;
  struct kept {
    W x;
  };
  const auto element = [&](std::uint64_t i) -> W { return upsweep::to_accumulator(op, T(f(in[i]))); };
  const std::uint64_t size = strip_elements(n), all = n / size, open = (std::min)((at - 1) / size, all - 1);
  const auto end_of = [&](std::uint64_t s) { return s + 1 < all ? (s + 1) * size : n; };
  std::vector<kept> folds(n - at + 1, kept{strip.folded()});  // folds[0] belongs to element at - 1
  const auto fold = [&](std::uint64_t i) -> W& { return folds[i - (at - 1)].x; };
  cpu::run_chains(d, all - open, outer, [&](std::uint64_t k, const auto& ask) {
    const std::uint64_t s = open + k;
    std::uint64_t i = k == 0 ? at : s * size;
    if (k != 0) fold(i) = element(i), ++i;
    for (; i < end_of(s); ++i, ask()) fold(i) = op(fold(i - 1), element(i));
  });
  // The prefix of each strip from the current one on.
  std::vector<kept> before{kept{strip.before()}};
  constexpr bool exact = strip_scan<Inclusive, T, In, Out, Op, F>::exact;
  for (std::uint64_t s = open; s < all; ++s) {
    const W& last = fold(end_of(s) - 1);
    before.push_back(kept{exact && s == open ? last : W(op(before.back().x, last))});
  }
  static constinit pace known;
  const auto put = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      const std::uint64_t s = (std::min)(i / size, all - 1);
      const W& from = before[s - open].x;
      if (!Inclusive && s > open && i == s * size)
        out[i] = static_cast<T>(from);
      else if (exact && s == open)
        out[i] = static_cast<T>(fold(Inclusive ? i : i - 1));
      else
        out[i] = static_cast<T>(op(from, fold(Inclusive ? i : i - 1)));
    }
  };
  cpu::loop_by_pace(&d, at, n, known, put, outer);
  return before.back().x;
}

// scan_block with measurement of its speed. `outer`: the stop flag of the enclosing blocks, or null.
template <bool Inclusive, class T, class In, class Out, class Op, class F>
[[gnu::noinline]] core::carrier<T, Op> measured_scan_block(upsweep::device& d, pace& known, const In& in,
                                                           std::uint64_t n, const Out& out, core::carrier<T, Op> carry,
                                                           const Op& op, const F& f, const stop_flag* outer) {
  using strip_of = strip_scan<Inclusive, T, In, Out, Op, F>;
  const std::uint64_t size = strip_elements(n);
  for (std::uint64_t first = 0, last; first < n; first = last) {
    last = n - first < 2 * size ? n : first + size;
    std::optional<strip_of> strip(std::in_place, in, out, first, carry, op, f);
    const std::uint64_t at = cpu::advance_while_fast(
        first + 1, last, known,
        [&](std::uint64_t i, std::uint64_t end) {
          strip_of here = *strip;
          for (; i < end; ++i) here.take(i);
          strip.emplace(here);
        },
        outer);
    if (at < last) {
      if (threads_of(d) > 1 && n >= 64)
        return cpu::finish_slow_scan<Inclusive, T>(d, in, n, out, at, *strip, op, f, outer);
      cancellation_point cancellation;
      for (std::uint64_t i = at; i < last; ++i) strip->take(i), cancellation.poll();
    }
    carry = strip->carry();
  }
  return carry;
}

template <bool Inclusive, class T, class In, class Out, class Op, class F>
core::carrier<T, Op> scan_block_by_pace(upsweep::device& d, const In& in, std::uint64_t n, const Out& out,
                                        core::carrier<T, Op> carry, const Op& op, const F& f, const stop_flag* outer) {
  static constinit pace known;
  if (known.is_fast(n)) [[likely]]
    return cpu::scan_block<Inclusive, T>(in, n, out, carry, op, f);
  return cpu::measured_scan_block<Inclusive, T>(d, known, in, n, out, carry, op, f, outer);
}

// `in` is an address, or any type with in[i] and in + k; so is `out`, which is never read.
template <bool Inclusive, class T, class In, class Out, class Op, class F>
void scan_custom(upsweep::device& d, const In& in, std::uint64_t n, Out out, T init, Op op, F f) {
  constexpr std::uint64_t block = block_elements(detail::scan_impl::cpu_tuned.custom_block_bytes, sizeof(T));
  const std::uint64_t blocks = block_count(n, block);
  const auto size = [&](std::uint64_t b) { return b + 1 < blocks ? block : n - b * block; };

  using W = core::carrier<T, Op>;
  W carry = init;  // the prefix of the block whose turn it is
  static constinit pace known;
  const auto element = [&](std::uint64_t i) -> W { return upsweep::to_accumulator(op, T(f(in[i]))); };
  const bool one_by_one =
      blocks <= 1 || threads_of(d) == 1 || cpu::calls_are_slow(known, n, [&] { (void)op(element(0), element(1)); });
  if (one_by_one) {
    for (std::uint64_t b = 0; b < blocks; ++b) {
      carry = cpu::scan_block_by_pace<Inclusive, T>(d, in + b * block, size(b), out + b * block, carry, op, f, nullptr);
      if (blocks > 1) cancellation_point().poll();
    }
    return;
  }
  // Blocks wait for one another here, so a block must not share its work with another thread: that thread may be
  // waiting.
  relay turns;
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag& stop) {
    const auto x = in + b * block;
    const auto y = out + b * block;
    if (strip_elements(size(b)) == size(b)) {  // only the last block is so short
      turns.await(b, stop);
      scan_block<Inclusive, T>(x, size(b), y, carry, op, f);
      return;
    }
    const std::array<W, 4> folded = cpu::fold_quarters<T>(x, size(b), op, f);
    turns.await(b, stop);
    const W one = op(carry, folded[0]), two = op(one, folded[1]), three = op(two, folded[2]);
    const std::array<W, 4> before{carry, one, two, three};
    carry = op(three, folded[3]);
    turns.pass(b);
    cpu::scan_strips<Inclusive, T>(x, size(b), y, before, op, f);
  });
}

}  // namespace upsweep::cpu
