// Lines as segments, for the rooms' own folds by segment.
#pragma once

#include "upsweep/axis/moves.hpp"
#include "upsweep/axis/problem.hpp"

namespace upsweep::axis_room {

// Fewer lines than this keep no GPU busy by a thread each, even where each line is cut in pieces.
inline constexpr std::uint64_t few_lines = 256;

// Rows, and few lines across rows, go by segments on a GPU; the rest by a thread a line, or a piece of one.
inline bool goes_by_segments(const lines& l) { return l.length != 0 && (l.inner == 1 || l.count() < few_lines); }

// n > 0.
void fold_by_segments(device&, const problem&);

// How a GPU cuts lines that are no segments: so that 2^16 threads have work, at least 16 elements a piece.
struct pieces_of {
  std::uint64_t count = 1, length = 0;
  explicit pieces_of(const lines& l) : length(l.length) {
    constexpr std::uint64_t threads = 1 << 16, least = 16;
    const std::uint64_t wanted = threads / (l.count() ? l.count() : 1);
    if (wanted < 2 || l.length < 2 * least) return;
    length = (l.length + wanted - 1) / wanted;
    if (length < least) length = least;
    count = (l.length + length - 1) / length;
  }
};

}  // namespace upsweep::axis_room
