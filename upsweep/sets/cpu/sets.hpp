// Two sorted sequences on the CPU, of any type and by any comparison. Threads take pieces of the walk, note without
// branches what each keeps, two pieces at a time, so that one's comparison need not wait for the other's; when the
// counts have been added up, they move what was noted.
#pragma once

#include <vector>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/sets/steps.hpp"

namespace upsweep::cpu {

inline constexpr std::uint64_t steps_of_a_piece = 1 << 12;
inline constexpr std::uint64_t codes_of_a_piece = steps_of_a_piece + 2;

// What a piece keeps: twice the distance from its beginning, and one more for the second sequence.
using kept_codes = std::uint16_t;

struct noted_piece {
  sets_room::place from;
  std::uint64_t of_a, of_b;  // its elements of either
  kept_codes* codes;
  std::uint64_t kept = 0;
};

template <sets_room::primitive What, class A, class B, class Less>
struct noting {
  const A& a;
  const B& b;
  const Less& less;

  // One step of a piece, i and j from its beginning.
  void step(const noted_piece& p, std::uint64_t& i, std::uint64_t& j, std::uint64_t& kept) const {
    constexpr bool merge = What == sets_room::primitive::merge_by_key;
    const bool second = static_cast<bool>(less(b[p.from.second + j], a[p.from.first + i])),
               first = merge ? !second : static_cast<bool>(less(a[p.from.first + i], b[p.from.second + j]));
    p.codes[kept] = static_cast<kept_codes>(second ? 2 * j + 1 : 2 * i);
    if constexpr (What == sets_room::primitive::set_union || merge)
      ++kept;
    else if constexpr (What == sets_room::primitive::set_intersection)
      kept += !first & !second;
    else if constexpr (What == sets_room::primitive::set_difference)
      kept += first;
    else
      kept += first | second;
    i += !second;
    j += !first | second;  // a comparison that says both gets on, too
  }

  void finish(noted_piece& p, std::uint64_t i, std::uint64_t j, std::uint64_t kept) const {
    while (i < p.of_a && j < p.of_b) step(p, i, j, kept);
    if constexpr (sets_room::keeps_first(What))
      for (; i < p.of_a; ++i) p.codes[kept++] = static_cast<kept_codes>(2 * i);
    if constexpr (sets_room::keeps_second(What))
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
void note_kept(sets_room::primitive what, const A& a, const B& b, const Less& less, noted_piece& p, noted_piece& q) {
  using enum sets_room::primitive;
  switch (what) {
    case merge_by_key: return noting<merge_by_key, A, B, Less>{a, b, less}.both(p, q);
    case set_union: return noting<set_union, A, B, Less>{a, b, less}.both(p, q);
    case set_intersection: return noting<set_intersection, A, B, Less>{a, b, less}.both(p, q);
    case set_difference: return noting<set_difference, A, B, Less>{a, b, less}.both(p, q);
    case set_symmetric_difference: break;
  }
  noting<set_symmetric_difference, A, B, Less>{a, b, less}.both(p, q);
}

// Calls move(codes, count, from, to) for what each piece keeps: codes count from `from`, and the first of them goes to
// place `to`. Returns how many are kept; of those, not more than `room` are moved.
template <class A, class B, class Less, class Move>
std::uint64_t keep_of_two(upsweep::device& d, sets_room::primitive what, const A& a, std::uint64_t n, const B& b,
                          std::uint64_t m, std::uint64_t room, const Less& less, const Move& move) {
  const std::uint64_t pieces = block_count(n + m, steps_of_a_piece);
  const auto begins = [&](std::uint64_t p) { return sets_room::cut_at(what, a, n, b, m, p * steps_of_a_piece, less); };
  const auto piece = [&](sets_room::place from, sets_room::place to, kept_codes* codes) -> noted_piece {
    // By a comparison that contradicts itself cuts may cross, or be far apart.
    const std::uint64_t of_a = to.first < from.first ? 0 : std::min(to.first - from.first, codes_of_a_piece - 1),
                        of_b = to.second < from.second ? 0
                                                       : std::min(to.second - from.second, codes_of_a_piece - 1 - of_a);
    return {from, of_a, of_b, codes};
  };
  if (pieces <= 2) {
    kept_codes codes[2 * codes_of_a_piece];
    const sets_room::place middle = begins(1);
    noted_piece p = piece({0, 0}, middle, codes), q = piece(middle, {n, m}, codes + codes_of_a_piece);
    upsweep::cpu::note_kept(what, a, b, less, p, q);
    move(p.codes, std::min(p.kept, room), p.from, 0);
    if (p.kept < room) move(q.codes, std::min(q.kept, room - p.kept), q.from, p.kept);
    return p.kept + q.kept;
  }

  auto* codes = d.scratch("sets/codes", pieces * codes_of_a_piece * sizeof(kept_codes)).template as<kept_codes>();
  std::vector<noted_piece> noted(pieces);
  for_each_block(d, block_count(pieces, 2), [&](std::uint64_t block, const stop_flag&) {
    const std::uint64_t i = 2 * block;
    const sets_room::place first = begins(i), middle = begins(i + 1), last = begins(i + 2);
    noted[i] = piece(first, middle, codes + i * codes_of_a_piece);
    // Behind the last piece there is one of no elements.
    noted_piece none{last, 0, 0, nullptr};
    noted_piece& next = i + 1 < pieces ? noted[i + 1] : none;
    if (i + 1 < pieces) next = piece(middle, last, codes + (i + 1) * codes_of_a_piece);
    upsweep::cpu::note_kept(what, a, b, less, noted[i], next);
  });
  std::vector<std::uint64_t> places(pieces + 1);
  for (std::uint64_t p = 0; p < pieces; ++p) places[p + 1] = places[p] + noted[p].kept;
  for_each_block(d, block_count(pieces, 2), [&](std::uint64_t block, const stop_flag&) {
    for (std::uint64_t p = 2 * block; p < std::min(pieces, 2 * block + 2); ++p)
      if (places[p] < room) move(noted[p].codes, std::min(noted[p].kept, room - places[p]), noted[p].from, places[p]);
  });
  return places[pieces];
}

// Moves what is kept from one pair of sequences: keys, or their values.
template <class A, class B, class Out>
void move_kept(const A& a, const B& b, const kept_codes* codes, std::uint64_t count, sets_room::place from, Out out) {
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
void move_kept(const T* a, const T* b, const kept_codes* codes, std::uint64_t count, sets_room::place from, T* out) {
  const T* const begin[]{a + from.first, b + from.second};
  for (std::uint64_t i = 0; i < count; ++i) out[i] = begin[codes[i] & 1][codes[i] >> 1];
}

}  // namespace upsweep::cpu
