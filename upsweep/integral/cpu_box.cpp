// Box filters on the CPU: bands of rows, one a thread at a time. Where they lie depends on the picture's and the box's shape alone.
#include <algorithm>
#include <vector>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/integral/cpu.hpp"
#include "upsweep/integral/cpu_box.hpp"
#include "upsweep/integral/cpu_box_rows.hpp"

namespace upsweep::integral_room {

namespace {

inline constexpr std::uint64_t band_bytes = 2 << 20;  // of sums that a thread holds

// Rows [first, last) of a filter whose sums are integers that fit 32 bits. Each column's sum gains a row and loses one from row to
// row; along the row windows of 1, 2, 4, … columns are joined to those of the box, as in cpu_box.hpp.
void narrow_band(const problem& p, const box_kernels& kernels, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t rx = useful_radius(p.radius.x, p.size.x), ry = useful_radius(p.radius.y, p.size.y);
  const std::uint64_t row = row_of(p), beyond = rx * p.channels, padded = row + 2 * beyond, width = 2 * rx + 1;
  static thread_local std::vector<std::uint32_t> held[4];
  for (auto& line : held) line.assign(padded, 0);
  std::uint32_t* const columns = held[0].data() + beyond;
  const auto line = [&](std::uint64_t y) -> const void* {
    return p.in.plus_bytes(y * p.pitch * size_of(p.type)).address();
  };
  for (std::uint64_t y = first - std::min(first, ry); y < std::min(first + ry, p.size.y); ++y)
    kernels.slide(line(y), nullptr, row, columns);
  for (std::uint64_t y = first; y < last; ++y) {
    const bool comes = y + ry < p.size.y, goes = y > first && y > ry;
    kernels.slide(comes ? line(y + ry) : nullptr, goes ? line(y - ry - 1) : nullptr, row, columns);
    // windows: of `wide` columns from each place on; found: of `done`.
    const std::uint32_t* windows = held[0].data();
    const std::uint32_t* found = nullptr;
    std::uint32_t *next = held[1].data(), *other = held[2].data();
    for (std::uint64_t wide = 1, done = 0;; wide *= 2) {
      if (width & wide) {
        if (found)
          kernels.join(found, windows + done * p.channels, row, held[3].data());
        else
          std::copy_n(windows, row, held[3].data());
        found = held[3].data();
        done += wide;
      }
      if (done == width) break;
      kernels.join(windows, windows + wide * p.channels, padded - (2 * wide - 1) * p.channels, next);
      windows = next;
      std::swap(next, other);
    }
    const std::uint64_t rows = window_at(y, ry, p.size.y), size = size_of(p.out_type);
    char* const out = p.out.plus_bytes(y * p.out_pitch * size).as<char>();
    const auto finish = [&](std::uint64_t pixel, std::uint64_t pixels, std::uint64_t columns_there) {
      kernels.finish(found + pixel * p.channels, pixels * p.channels, rows * columns_there,
                     out + pixel * p.channels * size);
    };
    // Where the box reaches over an edge each pixel has a number of its own.
    const std::uint64_t whole = p.size.x > 2 * rx ? p.size.x - 2 * rx : 0, left = whole ? rx : p.size.x;
    for (std::uint64_t x = 0; x < left; ++x) finish(x, 1, window_at(x, rx, p.size.x));
    if (whole) finish(rx, whole, width);
    for (std::uint64_t x = left + whole; x < p.size.x; ++x) finish(x, 1, window_at(x, rx, p.size.x));
  }
}

bool sums_fit(const problem& p) {
  const std::uint64_t columns = std::min(2 * useful_radius(p.radius.x, p.size.x) + 1, p.size.x),
                      rows = std::min(2 * useful_radius(p.radius.y, p.size.y) + 1, p.size.y);
  return columns * rows < (std::uint64_t{1} << 32 >> (8 * size_of(p.type)));
}

}  // namespace

void box_in_bands(device& d, const problem& all) {
  for_each_slice(all, [&](const problem& p) {
    const std::uint64_t height = 2 * useful_radius(p.radius.y, p.size.y) + 1;
    if (const box_kernels kernels = find_box_kernels(p.box, p.type, p.out_type); kernels.finish && sums_fit(p)) {
      const std::uint64_t rows = std::max<std::uint64_t>(64, 4 * height);
      return cpu::for_each_block(d, cpu::block_count(p.size.y, rows), [&](std::uint64_t b, const cpu::stop_flag&) {
        narrow_band(p, kernels, b * rows, std::min(p.size.y, (b + 1) * rows));
      });
    }
    with_box(p, [&]<class Rule, class In, class Out>(Rule, type_tag<In>, type_tag<Out>) {
      // A band needs the radius' rows above and below it: not much, where it is some times as high.
      const std::uint64_t fit = std::max<std::uint64_t>(band_bytes / (row_of(p) * sizeof(typename Rule::part)), 1);
      const std::uint64_t rows = std::clamp<std::uint64_t>(std::max(fit, 2 * height), 1, std::max<std::uint64_t>(16 * fit, 8));
      cpu::for_each_block(d, cpu::block_count(p.size.y, rows), [&](std::uint64_t b, const cpu::stop_flag&) {
        box_band<Rule, In, Out>(p).run(b * rows, std::min(p.size.y, (b + 1) * rows));
      });
    });
  });
}

}  // namespace upsweep::integral_room
