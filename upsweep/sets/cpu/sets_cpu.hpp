// Operations on two sorted sequences on the CPU, of any type and by any comparison. Threads take pieces of the walk
// and record without branches the elements that each keeps. A thread walks two pieces at a time, so that one's
// comparison need not wait for the other's. When the counts have been added up, they move the recorded elements.
#pragma once

#include <vector>

#include "upsweep/cpu/adaptive_grain.hpp"
#include "upsweep/sets/sets_steps.hpp"

namespace upsweep::cpu {

inline constexpr std::uint64_t steps_of_a_piece = 1 << 12;
inline constexpr std::uint64_t codes_of_a_piece = steps_of_a_piece + 2;

// The codes of kept elements: twice the distance from the piece's beginning, and one more for the second sequence.
using kept_codes = std::uint16_t;

struct noted_piece {
  detail::sets_impl::place from;
  std::uint64_t of_a, of_b;  // its elements of either
  kept_codes* codes;
  std::uint64_t kept = 0;
};

template <detail::sets_impl::primitive What, class A, class B, class Less>
struct noting {
  const A& a;
  const B& b;
  const Less& less;

  // One step of a piece, i and j from its beginning.
  void step(const noted_piece& p, std::uint64_t& i, std::uint64_t& j, std::uint64_t& kept) const {
    constexpr bool merge = What == detail::sets_impl::primitive::merge_by_key;
    const bool second = static_cast<bool>(less(b[p.from.second + j], a[p.from.first + i])),
               first = merge ? !second : static_cast<bool>(less(a[p.from.first + i], b[p.from.second + j]));
    p.codes[kept] = static_cast<kept_codes>(second ? 2 * j + 1 : 2 * i);
    if constexpr (What == detail::sets_impl::primitive::set_union || merge)
      ++kept;
    else if constexpr (What == detail::sets_impl::primitive::set_intersection)
      kept += !first & !second;
    else if constexpr (What == detail::sets_impl::primitive::set_difference)
      kept += first;
    else
      kept += first | second;
    i += !second;
    j += !first | second;  // terminates even with an inconsistent comparison
  }

  void finish(noted_piece& p, std::uint64_t i, std::uint64_t j, std::uint64_t kept) const {
    while (i < p.of_a && j < p.of_b) step(p, i, j, kept);
    if constexpr (detail::sets_impl::keeps_first(What))
      for (; i < p.of_a; ++i) p.codes[kept++] = static_cast<kept_codes>(2 * i);
    if constexpr (detail::sets_impl::keeps_second(What))
      for (; j < p.of_b; ++j) p.codes[kept++] = static_cast<kept_codes>(2 * j + 1);
    p.kept = kept;
  }

  void both(noted_piece& p, noted_piece& q) const {
    std::uint64_t i = 0, j = 0, kept = 0, k = 0, l = 0, kept_too = 0;
    while (i < p.of_a && j < p.of_b && k < q.of_a && l < q.of_b) {
      step(p, i, j, kept);
      step(q, k, l, kept_too);
    }
    finish(p, i, j, kept);
    finish(q, k, l, kept_too);
  }
};

template <class A, class B, class Less>
void note_kept(detail::sets_impl::primitive what, const A& a, const B& b, const Less& less, noted_piece& p,
               noted_piece& q) {
  using enum detail::sets_impl::primitive;
  switch (what) {
    case merge_by_key: return noting<merge_by_key, A, B, Less>{a, b, less}.both(p, q);
    case set_union: return noting<set_union, A, B, Less>{a, b, less}.both(p, q);
    case set_intersection: return noting<set_intersection, A, B, Less>{a, b, less}.both(p, q);
    case set_difference: return noting<set_difference, A, B, Less>{a, b, less}.both(p, q);
    case set_symmetric_difference: break;
  }
  noting<set_symmetric_difference, A, B, Less>{a, b, less}.both(p, q);
}

// Calls move(codes, count, from, to) for the elements that each piece keeps: codes count from `from`, and the first
// of them goes to position `to`. Returns how many are kept; at most `capacity` of those are moved.
template <class A, class B, class Less, class Move>
std::uint64_t keep_of_two(upsweep::device& d, detail::sets_impl::primitive what, const A& a, std::uint64_t n,
                          const B& b, std::uint64_t m, std::uint64_t capacity, const Less& less, const Move& move) {
  // Shorter pieces if the comparison is slow: the kept elements do not depend on the partition.
  static constinit pace known;
  const bool slow = n && m && cpu::calls_are_slow(known, n + m, [&] { (void)static_cast<bool>(less(b[0], a[0])); });
  const std::uint64_t steps =
      slow ? std::clamp<std::uint64_t>((n + m) / (4 * static_cast<std::uint64_t>(threads_of(d))), 8, steps_of_a_piece)
           : steps_of_a_piece;
  const std::uint64_t pieces = block_count(n + m, steps);
  const auto begins = [&](std::uint64_t p) { return detail::sets_impl::cut_at(what, a, n, b, m, p * steps, less); };
  const auto piece = [&](detail::sets_impl::place from, detail::sets_impl::place to, kept_codes* codes) -> noted_piece {
    // With an inconsistent comparison, cuts may cross, or be far apart.
    const std::uint64_t of_a = to.first < from.first ? 0 : (std::min)(to.first - from.first, codes_of_a_piece - 1),
                        of_b = to.second < from.second
                                   ? 0
                                   : (std::min)(to.second - from.second, codes_of_a_piece - 1 - of_a);
    return {from, of_a, of_b, codes};
  };
  if (pieces <= 2) {
    kept_codes codes[2 * codes_of_a_piece];
    const detail::sets_impl::place middle = begins(1);
    noted_piece p = piece({0, 0}, middle, codes), q = piece(middle, {n, m}, codes + codes_of_a_piece);
    upsweep::cpu::note_kept(what, a, b, less, p, q);
    move(p.codes, (std::min)(p.kept, capacity), p.from, 0);
    if (p.kept < capacity) move(q.codes, (std::min)(q.kept, capacity - p.kept), q.from, p.kept);
    return p.kept + q.kept;
  }

  auto* codes = d.scratch("sets/codes", pieces * codes_of_a_piece * sizeof(kept_codes)).template as<kept_codes>();
  std::vector<noted_piece> noted(pieces);
  for_each_block(d, block_count(pieces, 2), [&](std::uint64_t block, const stop_flag&) {
    const std::uint64_t i = 2 * block;
    const detail::sets_impl::place first = begins(i), middle = begins(i + 1), last = begins(i + 2);
    noted[i] = piece(first, middle, codes + i * codes_of_a_piece);
    // An empty piece follows the last one.
    noted_piece none{last, 0, 0, nullptr};
    noted_piece& next = i + 1 < pieces ? noted[i + 1] : none;
    if (i + 1 < pieces) next = piece(middle, last, codes + (i + 1) * codes_of_a_piece);
    upsweep::cpu::note_kept(what, a, b, less, noted[i], next);
  });
  std::vector<std::uint64_t> places(pieces + 1);
  for (std::uint64_t p = 0; p < pieces; ++p) places[p + 1] = places[p] + noted[p].kept;
  for_each_block(d, block_count(pieces, 2), [&](std::uint64_t block, const stop_flag&) {
    for (std::uint64_t p = 2 * block; p < (std::min)(pieces, 2 * block + 2); ++p)
      if (places[p] < capacity)
        move(noted[p].codes, (std::min)(noted[p].kept, capacity - places[p]), noted[p].from, places[p]);
  });
  return places[pieces];
}

// Moves the kept elements of one pair of sequences: keys, or their values.
template <class A, class B, class Out>
void move_kept(const A& a, const B& b, const kept_codes* codes, std::uint64_t count, detail::sets_impl::place from,
               Out out) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = codes[i] >> 1;
    if (codes[i] & 1)
      out[i] = b[from.second + at];
    else
      out[i] = a[from.first + at];
  }
}
// Of memory, without branches.
template <class T>
void move_kept(const T* a, const T* b, const kept_codes* codes, std::uint64_t count, detail::sets_impl::place from,
               T* out) {
  const T* const begin[]{a + from.first, b + from.second};
  for (std::uint64_t i = 0; i < count; ++i) out[i] = begin[codes[i] & 1][codes[i] >> 1];
}

}  // namespace upsweep::cpu
