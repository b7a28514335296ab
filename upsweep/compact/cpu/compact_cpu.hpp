// Compaction on the CPU, of any type and by any predicate of an element's index. Threads evaluate it for blocks and
// store the results as bits; after the counts have been summed, they move the elements that passed, or the others.
#pragma once

#include <algorithm>

#include "upsweep/cpu/adaptive_grain.hpp"

namespace upsweep::cpu {

// Whether each of n elements passes, and how many of those before each block do.
class answers {
 public:
  static constexpr std::uint64_t block = 8192;

  // Calls keep(i) once for every i < n, from several threads at once. Valid until the thread's next `answers`.
  template <class Keep>
  answers(upsweep::device& d, std::uint64_t n, const Keep& keep)
      : d_(d),
        n_(n),
        blocks_(block_count(n, block)),
        words_(d.scratch("compact/answers", (blocks_ * (block / 64) + 1) * 8).as<std::uint64_t>()),
        before_(d.scratch("compact/before", (blocks_ + 1) * 8).as<std::uint64_t>()) {
    for_each_block(d_, blocks_, [&](std::uint64_t b, const stop_flag& stop) {
      const std::uint64_t first = b * block;
      const std::uint64_t passed = cpu::mark_bits_by_pace(
          d_, end_of(b) - first, words_ + first / 64, [&](std::uint64_t i) { return keep(first + i); }, &stop);
      before_[b + 1] = passed;
    });
    before_[0] = 0;
    for (std::uint64_t b = 0; b < blocks_; ++b) before_[b + 1] += before_[b];
  }

  std::uint64_t kept() const { return before_[blocks_]; }

  // Calls move(i, place) for each element that passed; `place` counts from 0. Blocks run in parallel.
  template <class Move>
  void move_kept(const Move& move) const {
    for_each_block(d_, blocks_, [&](std::uint64_t b, const stop_flag&) { move_block(b, move); });
  }
  // As above for elements that did not pass.
  template <class Move>
  void move_others(const Move& move) const {
    for_each_block(d_, blocks_, [&](std::uint64_t b, const stop_flag&) {
      std::uint64_t to = b * block - before_[b];
      each_other_of(b, [&](std::uint64_t i) { move(i, to++); });
    });
  }
  // As move_kept, but one element after the other, in ascending order.
  template <class Move>
  void move_kept_in_order(const Move& move) const {
    for (std::uint64_t b = 0; b < blocks_; ++b) move_block(b, move);
  }
  template <class F>
  void for_each_other_in_order(const F& f) const {
    for (std::uint64_t b = 0; b < blocks_; ++b) each_other_of(b, f);
  }

 private:
  std::uint64_t end_of(std::uint64_t b) const { return (std::min)(n_, (b + 1) * block); }

  template <class Move>
  void move_block(std::uint64_t b, const Move& move) const {
    std::uint64_t to = before_[b];
    for (std::uint64_t i = b * block; i < end_of(b); i += 64)
      cpu::for_each_set(words_[i / 64], i, [&](std::uint64_t from) { move(from, to++); });
  }

  template <class F>
  void each_other_of(std::uint64_t b, const F& f) const {
    for (std::uint64_t i = b * block; i < end_of(b); i += 64) {
      const std::uint64_t count = std::min<std::uint64_t>(64, n_ - i),
                          there = count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
      cpu::for_each_set(~words_[i / 64] & there, i, f);
    }
  }

  upsweep::device& d_;
  std::uint64_t n_, blocks_;
  std::uint64_t *words_, *before_;
};

}  // namespace upsweep::cpu
