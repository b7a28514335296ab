#include "upsweep/summed_area_table/summed_area_table_operands.hpp"

namespace upsweep::detail::summed_area_table_impl {

namespace {

std::string text(extent size) {
  return std::to_string(size.x) + " by " + std::to_string(size.y) + " by " + std::to_string(size.z);
}

}  // namespace

void require_layout(const char* where, extent size, std::uint32_t channels, std::uint64_t pitch,
                    std::uint64_t out_pitch) {
  if (channels == 0 || channels > most_channels)
    throw error(fault::bad_argument, where, std::to_string(channels) + " channels are not 1 to 4",
                "give each pixel 1 to 4 elements");
  std::uint64_t row = 0, rows = 0, all = 0;
  if (__builtin_mul_overflow(size.x, channels, &row) || __builtin_mul_overflow(size.y, size.z, &rows) ||
      __builtin_mul_overflow(std::max({row, pitch, out_pitch}), rows, &all) || all >> 60)
    throw error(fault::bad_argument, where, "a picture of " + text(size) + " is larger than any memory",
                "give its size in pixels");
  for (std::uint64_t given : {pitch, out_pitch})
    if (given != 0 && given < row)
      throw error(fault::bad_argument, where,
                  "a pitch of " + std::to_string(given) + " elements is shorter than a row of " + std::to_string(row),
                  "give the elements from one row's beginning to the next's, or 0 for no gaps");
}

void require_picture(const char* where, const char* what, std::uint64_t span, std::uint64_t rows, std::uint64_t row,
                     std::uint64_t pitch) {
  const std::uint64_t needed = spanned(rows, row, pitch);
  require_capacity(
      where, span, needed,
      [&] {
        return std::string(what) + " of " + std::to_string(rows) + " rows takes " + std::to_string(needed) +
               " elements, and its span has " + std::to_string(span);
      },
      "give all rows, or the right size and pitch");
}

void require_sums_below(const char* where, std::uint64_t width, std::uint64_t height, std::uint64_t largest,
                        std::uint64_t most, dtype in, dtype out) {
  std::uint64_t count = 0;
  if (!__builtin_mul_overflow(width, height, &count) && count <= most / largest) return;
  throw error(fault::bad_argument, where,
              "sums of " + std::to_string(width) + " by " + std::to_string(height) + " elements of " +
                  std::string(name_of(in)) + " may pass what " + std::string(name_of(out)) + " holds",
              size_of(out) < 8 ? "sum in u64, or ask for wrapping" : "ask for wrapping, or sum smaller parts");
}

void require_rectangles(const rectangle* all, std::uint64_t count, extent size) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const rectangle& r = all[i];
    if (r.x0 > r.x1 || r.y0 > r.y1 || r.x1 > size.x || r.y1 > size.y)
      throw error(fault::bad_argument, "rectangle_sums",
                  "rectangle " + std::to_string(i) + ", [" + std::to_string(r.x0) + ", " + std::to_string(r.x1) +
                      ") by [" + std::to_string(r.y0) + ", " + std::to_string(r.y1) + "), is none of a table of " +
                      std::to_string(size.x) + " by " + std::to_string(size.y),
                  "give the first column and row, and those behind the last");
  }
}

}  // namespace upsweep::detail::summed_area_table_impl
