// Rows of tuning, as `upsweep list --json` shows them: shapes that a room's CUDA kernels are compiled in, from which
// each device takes the first that fits into the shared memory of its blocks. A room that has several lists them in its
// cuda/rows.cu, with the sizes that its launches go by.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace upsweep::cuda {

struct tuning_row {
  std::string_view variant;                            // "scan/look-ahead"
  std::string_view elements;                           // of what: "4 bytes"
  std::string_view row;                                // "large"
  int threads = 0, items = 0, stages = 1, blocks = 1;  // of a block; each thread's; tiles at once; a multiprocessor
  std::uint64_t shared_bytes = 0;                      // a block's
  std::string_view measured{};                         // "one H200", or "not timed"

  // Rows that stand for each other, of which a device takes one.
  bool same_choice(const tuning_row& r) const { return variant == r.variant && elements == r.elements; }
};

template <class Shape>
tuning_row row_of(std::string_view variant, std::string_view elements, std::string_view row, int stages,
                  std::uint64_t shared_bytes, bool timed) {
  return {variant,        elements,     row,
          Shape::threads, Shape::items, stages,
          Shape::blocks,  shared_bytes, timed ? "one H200" : "not timed"};
}

std::vector<tuning_row> rows_of_all_rooms();

// Whether that row is the one that a device takes whose blocks may have so much shared memory: of those that stand for
// each other the first that fits, and the last where none does.
inline bool is_taken(const std::vector<tuning_row>& rows, const tuning_row& row, std::uint64_t shared_limit) {
  const tuning_row* taken = nullptr;
  for (const tuning_row& r : rows)
    if (r.same_choice(row) && (!taken || taken->shared_bytes > shared_limit)) taken = &r;
  return taken == &row;
}

}  // namespace upsweep::cuda
