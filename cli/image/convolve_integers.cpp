#include "cli/image/convolve_integers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace upsweep;

namespace {

// A sign and a magnitude, so that small numbers are one piece.
struct magnitudes {
  std::vector<std::uint64_t> sizes;
  std::vector<bool> negative;
  int bits = 1;

  void add(std::uint64_t x, bool is_signed) {
    const bool below = is_signed && x >> 63 != 0;
    sizes.push_back(below ? -x : x);
    negative.push_back(below);
    bits = std::max(bits, static_cast<int>(std::bit_width(sizes.back())));
  }
  std::vector<double> piece(int first, int width) const {
    std::vector<double> values(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::uint64_t digits = sizes[i] >> first;
      const auto value = static_cast<double>(width < 64 ? digits & ((std::uint64_t{1} << width) - 1) : digits);
      values[i] = negative[i] ? -value : value;
    }
    return values;
  }
};

// Worst-case error bound of convolve.hpp for doubles: t products of numbers of this many bits.
double error_bound(double t, int in_bits, int mask_bits) {
  return std::ldexp(t * ((t + 72) * 0x1p-53 + 0x1p-48), in_bits + mask_bits);
}

}  // namespace

std::vector<std::uint64_t> convolve_integers(const context& where, std::span<const std::uint64_t> in, bool is_signed,
                                             const image_layout& picture, extent mask_size,
                                             std::span<const std::int64_t> mask_, border edge, bool correlated) {
  magnitudes elements, weights;
  for (const std::uint64_t x : in) elements.add(x, is_signed);
  for (const std::int64_t x : mask_) weights.add(static_cast<std::uint64_t>(x), true);
  const auto t = static_cast<double>(mask_.size());
  int in_width = elements.bits, mask_width = weights.bits;
  while (error_bound(t, in_width, mask_width) > 0.45 && in_width + mask_width > 2)
    --(in_width >= mask_width ? in_width : mask_width);
  const std::uint64_t n = convolved_size(picture.size, mask_size, edge).count() * picture.channels;
  std::vector<std::uint64_t> out(n, 0);
  std::vector<double> sums(n);
  for (int i = 0; i < elements.bits; i += in_width) {
    const std::vector<double> piece = elements.piece(i, in_width);
    for (int j = 0; j < weights.bits && i + j < 64; j += mask_width) {
      const std::vector<double> values = weights.piece(j, mask_width);
      const mask<double> m(mask_size, std::span<const double>(values));
      const std::span<const double> from(piece);
      if (correlated)
        correlate(where, from, picture, m, std::span(sums), edge);
      else
        convolve(where, from, picture, m, std::span(sums), edge);
      for (std::uint64_t k = 0; k < n; ++k)
        out[k] += static_cast<std::uint64_t>(static_cast<std::int64_t>(std::rint(sums[k]))) << (i + j);
    }
  }
  return out;
}
