// Searches on the CPU: blocks are taken in order, and none is begun that lies behind what was found.
#pragma once

#include <algorithm>
#include <atomic>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/search/asked.hpp"

namespace upsweep::cpu {

// Elements of a block, and those that the caller looks at before it wakes anybody.
inline constexpr std::uint64_t search_block = 1 << 14, looked_at_first = 1 << 12;

// How many i in [first, last) has(i) holds of, of few enough for a word.
template <class Has>
std::uint64_t count_few(std::uint64_t first, std::uint64_t last, const Has& has) {
  typename Has::word count = 0;
  const auto look = [&](std::uint64_t i) { count = static_cast<typename Has::word>(count + (has(i) ? 1 : 0)); };
  // As many as these a time: of a loop whose length it knows a compiler makes vectors at -O2, too.
  for (constexpr std::uint64_t together = 16; last - first >= together; first += together)
    for (std::uint64_t k = 0; k < together; ++k) look(first + k);
  for (; first < last; ++first) look(first);
  return count;
}

// How many i in [0, n) has(i) holds of.
template <class Has>
std::uint64_t count_places(upsweep::device& d, std::uint64_t n, const Has& has) {
  constexpr std::uint64_t few = sizeof(typename Has::word) == 1 ? 240 : search_block;
  const auto in = [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t count = 0;
    for (; last - first > few; first += few) count += cpu::count_few(first, first + few, has);
    return count + cpu::count_few(first, last, has);
  };
  if (n <= search_block) return in(0, n);
  std::atomic<std::uint64_t> all{0};
  for_each_block(d, block_count(n, search_block), [&](std::uint64_t b, const stop_flag&) {
    all.fetch_add(in(b * search_block, std::min(n, (b + 1) * search_block)), std::memory_order_relaxed);
  });
  return all.load(std::memory_order_relaxed);
}

// Whether has(i) holds of none in [first, first + count).
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

// The first i in [first, last) that has(i) holds of, or `last`. AtOnce: so many are asked together, without a branch.
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

// The first i in [0, n) that has(i) holds of, or n.
template <std::uint64_t AtOnce = 1, class Has>
std::uint64_t first_place(upsweep::device& d, std::uint64_t n, const Has& has) {
  const std::uint64_t early = std::min(n, looked_at_first), seen = cpu::first_in<AtOnce>(0, early, has);
  if (seen < early || early == n) return seen;
  std::atomic<std::uint64_t> best{n};
  for_each_block(d, block_count(n - early, search_block), [&](std::uint64_t b, const stop_flag&) {
    const std::uint64_t first = early + b * search_block;
    // A block behind what is found has nothing to add; relaxed, since only the number travels.
    if (first >= best.load(std::memory_order_relaxed)) return;
    const std::uint64_t last = std::min(n, first + search_block), at = cpu::first_in<AtOnce>(first, last, has);
    if (at == last) return;
    for (std::uint64_t now = best.load(std::memory_order_relaxed);
         at < now && !best.compare_exchange_weak(now, at, std::memory_order_relaxed);) {
    }
  });
  return best.load(std::memory_order_relaxed);
}

// The first i in [0, n) such that better(at(j), at(i)) holds of no j; 0 where n is 0.
template <class At, class Better>
std::uint64_t best_place(upsweep::device& d, std::uint64_t n, const At& at, const Better& better) {
  const auto in = [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t best = first;
    for (std::uint64_t i = first + 1; i < last; ++i)
      if (better(at(i), at(best))) best = i;
    return best;
  };
  if (n <= search_block) return in(0, n);
  const std::uint64_t blocks = block_count(n, search_block);
  block_values<std::uint64_t> places(d, "search/places", blocks, 0);
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
    places[b] = in(b * search_block, std::min(n, (b + 1) * search_block));
  });
  std::uint64_t best = places[0];
  for (std::uint64_t b = 1; b < blocks; ++b)
    if (better(at(places[b]), at(best))) best = places[b];
  return best;
}

// body(0), … body(n - 1), each of which takes a search; some at once, where it can do several.
template <class Body>
void for_each_search(upsweep::device& d, std::uint64_t n, const Body& body) {
  constexpr std::uint64_t grain = 1 << 9;
  for_each_block(d, block_count(n, grain), [&](std::uint64_t b, const stop_flag&) {
    const std::uint64_t end = std::min(n, (b + 1) * grain);
    std::uint64_t i = b * grain;
    if constexpr (requires { body.several(i); })
      for (; end - i >= Body::at_once && Body::at_once > 1; i += Body::at_once) body.several(i);
    for (; i < end; ++i) body(i);
  });
}

}  // namespace upsweep::cpu
