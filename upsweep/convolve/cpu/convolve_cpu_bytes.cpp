// Each line is summed along the row into a ring of sums of 16 bits, from which the column computes bytes: half the
// memory of floats, and twice the elements in a vector. Two elements at equal distance from the middle share one
// product.
#include "upsweep/convolve/convolve_bytes.hpp"
#include "upsweep/convolve/convolve_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "upsweep/convolve/cpu/convolve_cpu_lines.hpp"
#include "upsweep/convolve/cpu/convolve_tiles.hpp"

namespace upsweep::detail::convolve_impl {

void convolve_bytes(device& d, const problem& p, const folded_mask& mask) {
  if (out_size(p).count() == 0) return;
  const cpu::line_reader reader(p, dtype::u8);
  const geometry& g = reader.geometry();
  const auto whole = [](std::uint64_t count) { return cpu::block_count(count, cpu::byte_step) * cpu::byte_step; };
  const std::uint64_t halo = (g.mask.x - 1) * g.channels;
  const cpu::folded_kernel along = cpu::fold_row(), down = cpu::fold_column();
  const cpu::tiling tiles(d, g, g.mask.y + 2, halo, sizeof(std::uint16_t));
  const std::uint64_t widest = whole(tiles.elements()), sum_bytes = 2 * widest;

  tiles.each(d, g.mask.y * sum_bytes + widest + halo + widest, [&](const cpu::tile& t, char* memory) {
    const std::uint64_t count = t.width * g.channels, padded = whole(count);
    char *const slot = memory + g.mask.y * sum_bytes, *const last = slot + widest + halo;
    std::vector<const void*> under(g.mask.y);
    std::uint64_t read = 0;
    for (std::uint64_t y = 0; y < t.height; ++y) {
      for (; read < y + g.mask.y; ++read) {
        const void* line =
            reader.line(static_cast<std::int64_t>(t.x) - static_cast<std::int64_t>(g.before.x), t.width + g.mask.x - 1,
                        static_cast<std::int64_t>(t.y + read) - static_cast<std::int64_t>(g.before.y),
                        static_cast<std::int64_t>(t.z), padded + halo, slot);
        along({&line, memory + read % g.mask.y * sum_bytes, mask.row.data(), padded, g.mask.x / 2, g.channels});
      }
      for (std::uint64_t j = 0; j < g.mask.y; ++j) under[j] = memory + (y + j) % g.mask.y * sum_bytes;
      auto* const row = p.out.as<char>() + (t.z * g.out.y + t.y + y) * g.out_pitch + t.x * g.channels;
      void* const to = padded == count ? row : last;
      down({under.data(), to, mask.column.data(), padded, g.mask.y / 2, 1});
      if (to != row) std::memcpy(row, to, count);
    }
  });
}

}  // namespace upsweep::detail::convolve_impl
