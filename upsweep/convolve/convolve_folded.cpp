// A mask of two factors as weights of 16 bits, for the fixed-point algorithm for bytes, and for the conformance tests
// that have to know its error.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "upsweep/convolve/convolve_bytes.hpp"
#include "upsweep/convolve/convolve_problem.hpp"

namespace upsweep::detail::convolve_impl {

namespace {

// The weights of a line, scaled to the sum `total`; empty where the line is not symmetric, or a weight does not fit.
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
  // The middle weight absorbs the rounding of the others, so that a picture of one colour does not change.
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

}  // namespace upsweep::detail::convolve_impl
