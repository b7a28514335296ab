// Searches for a wrong element on all processors, so that comparing more than 2^32 elements takes seconds.
#pragma once

#include <atomic>
#include <cstdint>

#include "upsweep/cpu/block_partition.hpp"

namespace upsweep {

inline constexpr std::uint64_t checked_at_once = 1 << 16;

// The first i in [first, last) at which look(begin, end, found) found something, or last. It looks at [begin, end) in
// order, and may leave off at `found`, the first that is known so far.
template <class Look>
std::uint64_t first_found(std::uint64_t first, std::uint64_t last, std::uint64_t piece, Look look) {
  std::atomic<std::uint64_t> found{last};
  cpu::for_each_piece(last - first, piece, [&](std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t mine = look(first + begin, first + end, found.load());
    for (std::uint64_t known = found.load(); mine < known && !found.compare_exchange_weak(known, mine);) {
    }
  });
  return found;
}

// The first i of [first, last) that is bad, or last.
template <class Bad>
std::uint64_t first_bad(std::uint64_t first, std::uint64_t last, Bad bad) {
  return first_found(first, last, checked_at_once, [&](std::uint64_t begin, std::uint64_t end, std::uint64_t found) {
    for (std::uint64_t i = begin; i < end && i < found; ++i)
      if (bad(i)) return i;
    return found;
  });
}

// The sum of count(begin, end) over pieces of [first, last).
template <class Count>
std::uint64_t total(std::uint64_t first, std::uint64_t last, Count count) {
  std::atomic<std::uint64_t> sum{0};
  cpu::for_each_piece(last - first, checked_at_once,
                      [&](std::uint64_t begin, std::uint64_t end) { sum += count(first + begin, first + end); });
  return sum;
}

}  // namespace upsweep
