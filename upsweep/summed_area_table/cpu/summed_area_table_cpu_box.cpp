// Box filters on the CPU: bands of rows, one a thread at a time. The bands depend on the shapes of the picture and of
// the box alone.
#include <algorithm>
#include <vector>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/summed_area_table/cpu/summed_area_table_box_rows.hpp"
#include "upsweep/summed_area_table/cpu/summed_area_table_cpu.hpp"
#include "upsweep/summed_area_table/cpu/summed_area_table_cpu_box.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::detail::summed_area_table_impl {

namespace {

constexpr std::uint64_t band_bytes = 2 << 20;     // of sums that a thread holds
constexpr std::uint64_t strip_bytes = 512 << 10;  // of a block of rows of floats, and where radii make them larger
constexpr std::uint64_t most_strip_bytes = 32 << 20;

// The windows of `width` columns that begin at each of `row` elements' places in `line`: windows of 1, 2, 4, … columns
// are joined to those of the width's binary digits. `scratch`: three lines as long.
template <class Part>
const Part* windows_along(const box_kernels<Part>& kernels, const Part* line, std::uint64_t padded, std::uint64_t row,
                          std::uint64_t width, std::uint64_t channels, std::vector<Part> (&scratch)[3]) {
  for (auto& s : scratch) s.resize(padded);
  const Part *windows = line, *found = nullptr;  // of `wide` columns, and of `done`
  Part *next = scratch[0].data(), *other = scratch[1].data(), *const joined = scratch[2].data();
  for (std::uint64_t wide = 1, done = 0;; wide *= 2) {
    if (width & wide) {
      if (found)
        kernels.join(found, windows + done * channels, row, joined);
      else
        std::copy_n(windows, row, joined);
      found = joined;
      done += wide;
    }
    if (done == width) return found;
    kernels.join(windows, windows + wide * channels, padded - (2 * wide - 1) * channels, next);
    windows = next;
    std::swap(next, other);
  }
}

// Pixels [x0, x1) of row y from their sums. Where the box extends past an edge each pixel has a different count.
template <class Part>
void finish_row(const problem& p, const box_kernels<Part>& kernels, const Part* sums, std::uint64_t y, std::uint64_t x0,
                std::uint64_t x1) {
  const std::uint64_t rx = useful_radius(p.radius.x, p.size.x), size = size_of(p.out_type);
  const std::uint64_t rows = window_at(y, useful_radius(p.radius.y, p.size.y), p.size.y);
  char* const out = p.out.plus_bytes(y * p.out_pitch * size).as<char>();
  for (std::uint64_t x = x0; x < x1;) {
    const bool whole = x >= rx && x + rx < p.size.x;
    const std::uint64_t pixels = whole ? std::min(x1, p.size.x - rx) - x : 1;
    kernels.finish(sums + (x - x0) * p.channels, pixels * p.channels, rows * window_at(x, rx, p.size.x),
                   out + x * p.channels * size);
    x += pixels;
  }
}

// Rows [first, last) of a filter whose sums are integers that fit 32 bits: each column's sum gains a row and loses one
// from row to row.
void narrow_band(const problem& p, const box_kernels<std::uint32_t>& kernels, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t rx = useful_radius(p.radius.x, p.size.x), ry = useful_radius(p.radius.y, p.size.y);
  const std::uint64_t row = row_of(p), beyond = rx * p.channels, padded = row + 2 * beyond;
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  static thread_local std::vector<std::uint32_t> held, scratch[3];
  held.assign(padded, 0);
  std::uint32_t* const columns = held.data() + beyond;
  const auto line = [&](std::uint64_t y) -> const void* {
    return p.in.plus_bytes(y * p.pitch * size_of(p.type)).address();
  };
  for (std::uint64_t y = first - std::min(first, ry); y < std::min(first + ry, p.size.y); ++y)
    kernels.slide(line(y), nullptr, row, columns);
  for (std::uint64_t y = first; y < last; ++y) {
    const bool comes = y + ry<p.size.y, goes = y> first && y > ry;
    kernels.slide(comes ? line(y + ry) : nullptr, goes ? line(y - ry - 1) : nullptr, row, columns);
    finish_row(p, kernels, windows_along(kernels, held.data(), padded, row, 2 * rx + 1, p.channels, scratch), y, 0,
               p.size.x);
  }
}

// Pixels [x0, x1) of rows [first, last) of a filter of floats. Down the columns as in cpu_box.hpp: of a block of rows
// as tall as the box the sums of its last ones, and of the next block's first ones, of which each row's window is one
// and one.
void float_band(const problem& p, const box_kernels<double>& kernels, std::uint64_t first, std::uint64_t last,
                std::uint64_t x0, std::uint64_t x1) {
  const std::uint64_t rx = useful_radius(p.radius.x, p.size.x), ry = useful_radius(p.radius.y, p.size.y);
  const std::uint64_t row = (x1 - x0) * p.channels, padded = row + 2 * rx * p.channels, tall = 2 * ry + 1;
  // Elements outside the picture stay zero.
  const std::uint64_t from = x0 - std::min(x0, rx), to = std::min(x1 + rx, p.size.x);
  const std::uint64_t skipped = (from + rx - x0) * p.channels, there = (to - from) * p.channels;
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  static thread_local std::vector<double> held, beginning, column, scratch[3];
  held.assign(tall * padded, 0), beginning.assign(padded, 0), column.resize(padded);
  const auto slot = [&](std::uint64_t i) { return held.data() + i * padded; };
  // Row first - ry + i.
  const auto take = [&](std::uint64_t i, double* into) {
    const std::uint64_t y = first + i;
    if (y < ry || y - ry >= p.size.y)
      std::fill_n(into, padded, 0.0);
    else
      kernels.to_accumulator(p.in.plus_bytes(((y - ry) * p.pitch + from * p.channels) * size_of(p.type)).address(),
                             there, into + skipped);
  };
  for (std::uint64_t i = 0; i + 1 < tall; ++i) take(i, slot(i));
  for (std::uint64_t y = first; y < last; ++y) {
    const std::uint64_t i = (y - first) % tall, newest = y - first + tall - 1;
    const double* sums = slot(0);
    if (i == 0) {
      take(newest, slot(tall - 1));
      for (std::uint64_t j = tall - 1; j-- > 0;) kernels.join(slot(j), slot(j + 1), padded, slot(j));
    } else {
      // The next block's rows take the places of those that are done with.
      take(newest, slot(i - 1));
      if (i == 1)
        std::copy_n(slot(0), padded, beginning.data());
      else
        kernels.join(beginning.data(), slot(i - 1), padded, beginning.data());
      kernels.join(slot(i), beginning.data(), padded, column.data());
      sums = column.data();
    }
    finish_row(p, kernels, windows_along(kernels, sums, padded, row, 2 * rx + 1, p.channels, scratch), y, x0, x1);
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
    const std::uint64_t rows = std::max<std::uint64_t>(64, 4 * height), bands = cpu::block_count(p.size.y, rows);
    if (const auto kernels = find_narrow_box(p.box, p.type, p.out_type); kernels.finish && sums_fit(p))
      return cpu::for_each_block(d, bands, [&](std::uint64_t b, const cpu::stop_flag&) {
        narrow_band(p, kernels, b * rows, std::min(p.size.y, (b + 1) * rows));
      });
    // Narrow enough for a block of rows to stay in the second-level cache, and wide enough for little of it to be halo.
    const std::uint64_t rx = useful_radius(p.radius.x, p.size.x), element = p.channels * sizeof(double);
    const std::uint64_t width = std::max<std::uint64_t>({strip_bytes / (height * element), 4 * rx, 256});
    const bool small = height * (std::min(width, p.size.x) + 2 * rx) * element <= most_strip_bytes;
    if (const auto kernels = find_float_box(p.box, p.type, p.out_type); kernels.finish && small) {
      const std::uint64_t strips = cpu::block_count(p.size.x, width);
      return cpu::for_each_block(d, bands * strips, [&](std::uint64_t b, const cpu::stop_flag&) {
        const std::uint64_t y = b / strips * rows, x = b % strips * width;
        float_band(p, kernels, y, std::min(p.size.y, y + rows), x, std::min(p.size.x, x + width));
      });
    }
    with_box(p, [&]<class Rule, class In, class Out>(Rule, type_tag<In>, type_tag<Out>) {
      // A band needs the radius' rows above and below it: not much, where it is some times as high.
      const std::uint64_t fit = std::max<std::uint64_t>(band_bytes / (row_of(p) * sizeof(typename Rule::part)), 1);
      const std::uint64_t each =
          std::clamp<std::uint64_t>(std::max(fit, 2 * height), 1, std::max<std::uint64_t>(16 * fit, 8));
      cpu::for_each_block(d, cpu::block_count(p.size.y, each), [&](std::uint64_t b, const cpu::stop_flag&) {
        box_band<Rule, In, Out>(p).run(b * each, std::min(p.size.y, (b + 1) * each));
      });
    });
  });
}

}  // namespace upsweep::detail::summed_area_table_impl
