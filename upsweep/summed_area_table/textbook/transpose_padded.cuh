// integral/transpose-padded
//
// Source    G. Ruetsch and P. Micikevicius, Optimizing Matrix Transpose in CUDA, 2009; utcs.
// Teaches   one free cell behind each row of the tile: cells of one column are 33 apart then, and lie in 32 different
//           banks. Nothing else differs from integral/transpose.
// Work      as integral/rows-then-columns. Launches 4.
// Wrong     all goes through memory four times: 8n, where 2n is needed.
// Fixed by  integral/single-pass.
#pragma once

#include "upsweep/summed_area_table/textbook/transpose.cuh"

namespace upsweep::textbook::summed_area_table_variants {

template <unsigned block = 128, unsigned items = 5>
struct transpose_padded : variant_defaults {
  static constexpr std::string_view name = "integral/transpose-padded";
  static constexpr int year = 2009;
  static constexpr std::string_view source = "Ruetsch and Micikevicius; utcs";
  static constexpr std::string_view teaches =
      "the same with tiles of 33 cells a row: no two cells of a column in one bank";
  static constexpr std::string_view limits = textbook_limits;
  static constexpr std::uint64_t max_n = most_blocks;
  static constexpr auto cannot = variant_cannot;
  static constexpr formula work{"at least 2113 a tile of 640, twice; short lines have tiles of their own",
                                lines_work<block, items>};
  static constexpr formula span{"19 a tile of the longest row and column", lines_span<block, items>};
  static constexpr formula launches{"4", [](double) { return 4.0; }};
  static constexpr formula traffic{"8n", [](double n) { return 8 * n; }};

  template <class In, class T, class Grid, class Add>
  static void run(Grid& grid, global<const In> in, std::uint64_t in_pitch, global<T> out, std::uint64_t out_pitch,
                  extent size, Add add) {
    scan_and_transpose_twice<block, items, 1>(grid, in, in_pitch, out, out_pitch, size, add);
  }
};

}  // namespace upsweep::textbook::summed_area_table_variants
