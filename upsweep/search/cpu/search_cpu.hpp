// Searches on the CPU. Blocks are taken in order, and no block is started after the position already found.
#pragma once

#include <algorithm>
#include <atomic>

#include "upsweep/cpu/adaptive_grain.hpp"
#include "upsweep/search/search_conditions.hpp"

namespace upsweep::cpu {

// Elements of a block, and those that the caller tests before it wakes other threads.
inline constexpr std::uint64_t search_block = 1 << 14, looked_at_first = 1 << 12;

// How many i in [first, last) satisfy has(i), for ranges whose count fits a word.
template <class Has>
std::uint64_t count_few(std::uint64_t first, std::uint64_t last, const Has& has) {
  typename Has::word count = 0;
  const auto look = [&](std::uint64_t i) { count = static_cast<typename Has::word>(count + (has(i) ? 1 : 0)); };
  // This many at a time: compilers vectorise a loop of constant length at -O2, too.
  constexpr std::uint64_t together = 16;
  for (; last - first >= together; first += together)
    for (std::uint64_t k = 0; k < together; ++k) look(first + k);
  // The remainder tells GCC that less than 16 are left; it warns otherwise.
  for (std::uint64_t k = 0, left = (last - first) % together; k < left; ++k) look(first + k);
  return count;
}

// Whether the cost of has(i) is known: it is for comparisons compiled into the library, and not for a caller's.
enum class cost : std::uint8_t { known, unknown };

// How many i in [0, n) satisfy has(i).
template <cost Of = cost::known, class Has>
std::uint64_t count_places(upsweep::device& d, std::uint64_t n, const Has& has) {
  constexpr std::uint64_t few = sizeof(typename Has::word) == 1 ? 240 : search_block;
  const auto in = [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t count = 0;
    for (; last - first > few; first += few) count += cpu::count_few(first, first + few, has);
    return count + cpu::count_few(first, last, has);
  };
  static constinit pace known;
  if (n <= search_block && (Of == cost::known || known.is_fast(n))) [[likely]]
    return in(0, n);
  std::atomic<std::uint64_t> all{0};
  const auto add = [&](std::uint64_t first, std::uint64_t last) {
    all.fetch_add(in(first, last), std::memory_order_relaxed);
  };
  if (n <= search_block) {
    cpu::loop_by_pace(&d, 0, n, known, add);
    return all.load(std::memory_order_relaxed);
  }
  for_each_block(d, block_count(n, search_block), [&](std::uint64_t b, const stop_flag& stop) {
    const std::uint64_t first = b * search_block, last = (std::min)(n, first + search_block);
    if constexpr (Of == cost::known)
      add(first, last);
    else
      cpu::for_each_paced(d, first, last, add, stop);
  });
  return all.load(std::memory_order_relaxed);
}

// Whether no i in [first, first + count) satisfies has(i).
template <class Has>
bool none_holds(std::uint64_t first, std::uint64_t count, const Has& has) {
  if constexpr (requires { has.none(first, count); }) {
    return has.none(first, count);
  } else {
    typename Has::word any = 0;
    for (std::uint64_t i = first; i < first + count; ++i) any = static_cast<typename Has::word>(any | (has(i) ? 1 : 0));
    return any == 0;
  }
}

// The first i in [first, last) with has(i), or `last`. AtOnce: the number that is tested together, without a branch.
template <std::uint64_t AtOnce, class Has>
std::uint64_t first_in(std::uint64_t first, std::uint64_t last, const Has& has) {
  std::uint64_t i = first;
  if constexpr (AtOnce > 1) {
    while (last - i >= AtOnce && cpu::none_holds(i, AtOnce, has)) i += AtOnce;
  } else {
    for (; last - i >= 4; i += 4) {
      if (has(i)) return i;
      if (has(i + 1)) return i + 1;
      if (has(i + 2)) return i + 2;
      if (has(i + 3)) return i + 3;
    }
  }
  while (i < last && !has(i)) ++i;
  return i;
}

// The first i in [0, n) with has(i), or n.
template <std::uint64_t AtOnce = 1, cost Of = cost::known, class Has>
std::uint64_t first_place(upsweep::device& d, std::uint64_t n, const Has& has) {
  const std::uint64_t early = (std::min)(n, looked_at_first);
  static constinit pace known;
  const bool looked_at = Of == cost::known || known.is_fast(early);
  if (looked_at) {
    const std::uint64_t seen = cpu::first_in<AtOnce>(0, early, has);
    if (seen < early || early == n) return seen;
  }
  std::atomic<std::uint64_t> best{n};
  const auto look = [&](std::uint64_t first, std::uint64_t last) {
    // A block after the position found cannot improve it; relaxed, since only the number itself is read.
    if (first >= best.load(std::memory_order_relaxed)) return;
    const std::uint64_t at = cpu::first_in<AtOnce>(first, last, has);
    if (at == last) return;
    for (std::uint64_t now = best.load(std::memory_order_relaxed);
         at < now && !best.compare_exchange_weak(now, at, std::memory_order_relaxed);) {
    }
  };
  if (!looked_at) {
    cpu::loop_by_pace(&d, 0, early, known, look);
    if (early == n || best.load(std::memory_order_relaxed) < early) return best.load(std::memory_order_relaxed);
  }
  for_each_block(d, block_count(n - early, search_block), [&](std::uint64_t b, const stop_flag& stop) {
    const std::uint64_t first = early + b * search_block, last = (std::min)(n, first + search_block);
    if constexpr (Of == cost::known)
      look(first, last);
    else
      cpu::for_each_paced(d, first, last, look, stop);
  });
  return best.load(std::memory_order_relaxed);
}

// The first i in [0, n) for which better(at(j), at(i)) is true of no j; 0 if n is 0.
template <class At, class Better>
std::uint64_t best_place(upsweep::device& d, std::uint64_t n, const At& at, const Better& better) {
  const auto in = [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t best = first;
    for (std::uint64_t i = first + 1; i < last; ++i)
      if (better(at(i), at(best))) best = i;
    return best;
  };
  std::uint64_t block = search_block;
  static constinit pace known;
  if (n > 1 && calls_are_slow(known, n, [&] { (void)static_cast<bool>(better(at(1), at(0))); }))
    block = std::clamp<std::uint64_t>(n / (16 * static_cast<std::uint64_t>(threads_of(d))), 1, search_block);
  if (n <= block) return in(0, n);
  const std::uint64_t blocks = block_count(n, block);
  block_values<std::uint64_t> places(d, "search/places", blocks, 0);
  for_each_block(d, blocks,
                 [&](std::uint64_t b, const stop_flag&) { places[b] = in(b * block, (std::min)(n, (b + 1) * block)); });
  std::uint64_t best = places[0];
  for (std::uint64_t b = 1; b < blocks; ++b)
    if (better(at(places[b]), at(best))) best = places[b];
  return best;
}

// Calls body(0), … body(n - 1), each of which takes a search; several at once if body supports that.
template <cost Of = cost::known, class Body>
void for_each_search(upsweep::device& d, std::uint64_t n, const Body& body) {
  constexpr std::uint64_t grain = 1 << 9;
  const auto work = [&](std::uint64_t i, std::uint64_t end) {
    if constexpr (requires { body.several(i); })
      for (; end - i >= Body::at_once && Body::at_once > 1; i += Body::at_once) body.several(i);
    for (; i < end; ++i) body(i);
  };
  for_each_block(d, block_count(n, grain), [&](std::uint64_t b, const stop_flag& stop) {
    const std::uint64_t first = b * grain, end = (std::min)(n, first + grain);
    if constexpr (Of == cost::known)
      work(first, end);
    else
      cpu::for_each_paced(d, first, end, work, stop);
  });
}

}  // namespace upsweep::cpu
