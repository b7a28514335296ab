// Lines along an axis as segments, for the segmented folds and scans.
#pragma once

#include "upsweep/axis/axis_problem.hpp"
#include "upsweep/axis/axis_segment_offsets.hpp"

namespace upsweep::detail::axis_impl {

// With fewer lines than this, one thread per line cannot fill a GPU, even where each line is cut into pieces.
inline constexpr std::uint64_t few_lines = 256;

// Whether a GPU treats the lines as segments: rows, and few lines across rows. Otherwise each thread takes a line or a
// piece of one.
inline bool goes_by_segments(const lines& l) { return l.length != 0 && (l.inner == 1 || l.count() < few_lines); }

// n > 0.
void fold_by_segments(device&, const problem&);

// How a GPU cuts lines that it does not treat as segments: into pieces of at least 16 elements, so that 2^16 threads
// have work.
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

}  // namespace upsweep::detail::axis_impl
