// Each line is summed along the row into a ring of sums of 16 bits, of which the column makes bytes: half the memory of
// floats, and twice the elements in a vector. Two elements that are as far from the middle meet in one product.
#include "upsweep/convolve/bytes.hpp"
#include "upsweep/convolve/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "upsweep/convolve/cpu/lines.hpp"
#include "upsweep/convolve/cpu/tiles.hpp"

namespace upsweep::convolve_room {

namespace {

// Of a line of weights that sum to `total`; empty where it is not the same from both ends, or does not fit.
std::vector<std::uint16_t> folded_line(std::span<const float> line, double sum, double total) {
  const std::uint64_t reach = line.size() / 2;
  std::vector<std::uint16_t> weights(1);
  double rest = std::rint(65536 * total);
  for (std::uint64_t i = 1; i <= reach; ++i) {
    const float weight = line[reach - i];
    if (!(weight >= 0) || weight != line[reach + i]) return {};
    weights.push_back(static_cast<std::uint16_t>(std::rint(2 * weight / sum * total * 65536)));
    rest -= weights.back();
  }
  // The middle takes what the others' rounding left, so that a picture of one colour stays as it is.
  if (!(line[reach] >= 0 && rest >= 0 && rest < 65536)) return {};
  weights[0] = static_cast<std::uint16_t>(rest);
  return weights;
}

}  // namespace

std::optional<folded_mask> folded(const problem& p) {
  const extent& m = p.mask;
  if (p.type != dtype::u8 || p.out_type != dtype::u8 || p.mask_type != dtype::f32 || p.rank != 1 || m.z != 1 ||
      m.x % 2 == 0 || m.y % 2 == 0 || m.x < 3 || m.y < 3 || m.x + m.y > most_folded || !p.in3.address())
    return std::nullopt;
  const auto* factors = p.in3.as<const float>();
  const std::span row(factors, m.x), column(factors + m.x, m.y);
  double of_row = 0, of_column = 0;
  for (const float v : row) of_row += v;
  for (const float v : column) of_column += v;
  const double total = of_row * of_column * factors[m.x + m.y];
  if (!(of_row > 0 && of_column > 0 && total >= 0 && total <= 1 + 0x1p-18)) return std::nullopt;
  folded_mask f{folded_line(row, of_row, 1), folded_line(column, of_column, std::min(total, 1.0))};
  return f.row.empty() || f.column.empty() ? std::nullopt : std::optional(f);
}

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

}  // namespace upsweep::convolve_room
