// Convolution with a mask that is one number, on the CPU: it needs no products, and windows share partial sums.
//
// Along the row a window is the sum of smaller windows, which are sums of smaller ones: for 4097 elements, for
// instance, five levels of up to six additions each. Down the columns it is the algorithm of M. van Herk and of J. Gil
// and M. Werman (1992, 1993): rows are cut into blocks as tall as the mask; a window is the end of one block and the
// beginning of the next, which takes three additions for windows of any height. Nothing is subtracted, so that floats
// keep the precision of a window's sum, and a NaN affects only the windows that contain it.
#include "upsweep/convolve/convolve_box.hpp"
#include "upsweep/convolve/convolve_problem.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "upsweep/convolve/cpu/convolve_cpu_lines.hpp"
#include "upsweep/convolve/cpu/convolve_tiles.hpp"

namespace upsweep::detail::convolve_impl {

namespace {

using cpu::line_step, cpu::results, cpu::tile, cpu::whole_steps;

constexpr std::uint64_t largest_base = 16;

class windows {
 public:
  windows(const problem& p, std::uint64_t size)
      : plan_(plan_of_window(size)),
        size_(size),
        channels_(p.channels),
        element_(size_of(p.mask_type)),
        sums_of_(cpu::weighted_sums(cpu::line_type(p.mask_type))) {}

  std::uint64_t levels() const { return plan_.levels - 1; }  // lines of scratch
  // Elements that are read of a line of `count` results, a multiple of line_step.
  std::uint64_t reach(std::uint64_t count) const { return count + (size_ - 1) * channels_ + line_step * plan_.levels; }

  // to[x] = weight · line[x] + … + weight · line[x + (size - 1) · channels]; `weights` repeats the weight, `ones`
  // repeats 1. The weight is applied first, so that a sum overflows only where the definition's does.
  void operator()(const void* line, char* scratch, std::uint64_t line_bytes, std::uint64_t count, const void* weights,
                  const void* ones, void* to) const {
    std::uint64_t left = size_, done = 0, wide = 1;
    bool add = false;
    for (std::uint64_t level = 0;; ++level, wide *= plan_.base, weights = ones) {
      // `line` holds windows of `wide` elements.
      if (const std::uint64_t digit = left % plan_.base; digit > 0) {
        const void* from = static_cast<const char*>(line) + done * channels_ * element_;
        sums_of_({&from, &to, weights, 1, count, digit, 1, wide * channels_, add});
        add = true, done += digit * wide;
      }
      left /= plan_.base;
      if (left == 0) return;
      void* next = scratch + level * line_bytes;
      const std::uint64_t after = wide * plan_.base;
      sums_of_({&line, &next, weights, 1,
                whole_steps(count + (size_ - after) * channels_ + line_step * (plan_.levels - level - 2)), plan_.base,
                1, wide * channels_, false});
      line = next;
    }
  }

 private:
  window_plan plan_;
  std::uint64_t size_, channels_, element_;
  cpu::weighted_kernel sums_of_;
};

}  // namespace

window_plan plan_of_window(std::uint64_t size) {
  window_plan best;
  best.loads = std::numeric_limits<double>::infinity();
  for (std::uint64_t base = 2; base <= largest_base; ++base) {
    window_plan p{base, 0, 0};
    for (std::uint64_t left = size; left > 0; left /= base, ++p.levels)
      p.loads += (left % base ? static_cast<double>(left % base) + 2 : 0.0) +
                 (left >= base ? static_cast<double>(base) + 2 : 0.0);
    if (p.loads < best.loads) best = p;
  }
  return best;
}

const char* box_cannot(const problem& p) {
  if (!p.constant) return "a mask that is not one number";
  if (p.mask.z > 1) return "masks of several slices";
  return wrong_types(p);
}

void convolve_box(device& d, const problem& p) {
  if (out_size(p).count() == 0) return;
  const cpu::line_reader reader(p);
  const geometry& g = reader.geometry();
  const std::uint64_t tall = g.mask.y;
  const results to(p, tall > 1);
  const windows across(p, g.mask.x);
  const std::uint64_t size = size_of(p.mask_type), halo = (g.mask.x - 1) * g.channels;
  const cpu::weighted_kernel sums_of = cpu::weighted_sums(cpu::line_type(p.mask_type));
  std::vector<std::byte> ones(largest_base * size), weights(largest_base * size);
  with_types(p, [&]<class In, class Mask, class Out>(type_tag<In>, type_tag<Mask>, type_tag<Out>) {
    std::fill_n(reinterpret_cast<Mask*>(ones.data()), largest_base, Mask(1));
    std::fill_n(reinterpret_cast<Mask*>(weights.data()), largest_base, *p.in2.as<const Mask>());
  });

  const cpu::tiling tiles(d, g, tall + across.levels() + 4, halo, size);
  const std::uint64_t sum_bytes = whole_steps(tiles.elements()) * size,
                      line_bytes = whole_steps(across.reach(whole_steps(tiles.elements()))) * size;
  const std::uint64_t bytes = (1 + across.levels()) * line_bytes + (tall + 2) * sum_bytes;
  tiles.each(d, bytes, [&](const tile& t, char* memory) {
    const std::uint64_t count = t.width * g.channels, padded = whole_steps(count);
    char* const slot = memory;
    char* const scratch = slot + line_bytes;
    char* const rows = scratch + across.levels() * line_bytes;
    void* beginning = rows + tall * sum_bytes;
    char* const sums = rows + (tall + 1) * sum_bytes;
    const auto row = [&](std::uint64_t i) -> void* { return rows + i * sum_bytes; };
    // Sums line y of the tile along the row's windows.
    const auto take = [&](std::uint64_t y, void* into) {
      const void* line =
          reader.line(static_cast<std::int64_t>(t.x) - static_cast<std::int64_t>(g.before.x), t.width + g.mask.x - 1,
                      static_cast<std::int64_t>(t.y + y) - static_cast<std::int64_t>(g.before.y),
                      static_cast<std::int64_t>(t.z), across.reach(padded), slot);
      across(line, scratch, line_bytes, padded, weights.data(), ones.data(), into);
    };
    const auto add = [&](const void* what, void* into) {
      sums_of({&what, &into, ones.data(), 1, padded, 1, 1, 1, true});
    };
    if (tall > 1)
      for (std::uint64_t i = 0; i + 1 < tall; ++i) take(i, row(i));
    for (std::uint64_t y = 0; y < t.height; ++y) {
      char* const result = to.row(t.x, t.y + y, t.z);
      void* out = to.place(result, count, sums);
      const std::uint64_t i = y % tall;
      if (tall == 1) {
        take(y, out);
      } else if (i == 0) {
        // Replaces each row of the block by the sum of it and those below it; the rows of the next block are read into
        // their memory.
        take(y + tall - 1, row(tall - 1));
        for (std::uint64_t j = tall - 1; j-- > 0;) add(row(j + 1), row(j));
        const void* end = row(0);
        sums_of({&end, &out, ones.data(), 1, padded, 1, 1, 1, false, to.bytes()});
      } else {
        take(y + tall - 1, row(i - 1));
        if (i == 1)
          std::memcpy(beginning, row(0), padded * size);
        else
          add(row(i - 1), beginning);
        const void* both[]{row(i), beginning};
        sums_of({both, &out, ones.data(), 1, padded, 1, 2, 1, false, to.bytes()});
      }
      to.finish(out, result, count);
    }
  });
}

variant box_entry() {
  variant v;
  v.name = "convolve/box", v.what = primitive::convolve, v.kind = variant_kind::tuned, v.year = 2026,
  v.source = "upsweep";
  v.teaches =
      "A mask that is one number: windows made of windows along the row, the end of one block of rows and the "
      "beginning of the "
      "next down the columns.";
  v.work = {"3n, and along the row some log(width) * n (9n for 3 by 3)", [](double n) { return 9 * n; }};
  v.span = {"1", [](double) { return 1.0; }}, v.launches = {"1", [](double) { return 1.0; }};
  v.traffic = {"2n", [](double n) { return 2 * n; }};
  v.limits = "masks that are one number; no volumes";
  v.cannot = box_cannot;
  v.run = convolve_box;
  return v;
}

}  // namespace upsweep::detail::convolve_impl
