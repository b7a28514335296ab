// Splits a mask into a sum of products by cross approximation: take the largest remaining element, subtract the product
// of its row and its column that makes it zero, and repeat until nothing remains. With the largest element as the pivot
// no element grows.
#include "upsweep/convolve/convolve_mask.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "upsweep/error.hpp"

namespace upsweep {

namespace {

template <class T>
constexpr double tolerance = std::is_same_v<T, double>  ? 0x1p-48
                             : std::is_same_v<T, float> ? 0x1p-20
                                                        : 0;

// The largest number of products that costs less than the whole mask.
std::uint32_t most_products(extent size) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>((size.count() - 1) / (size.x + size.y + (size.z > 1 ? size.z : 0)), 64));
}

template <class T>
bool reproduces(extent size, std::span<const T> values, const std::vector<T>& factors, double allowed) {
  const std::uint64_t each = size.x + size.y + size.z;
  for (std::uint64_t k = 0, at = 0; k < size.z; ++k)
    for (std::uint64_t j = 0; j < size.y; ++j)
      for (std::uint64_t i = 0; i < size.x; ++i, ++at) {
        double sum = 0;
        for (std::uint64_t f = 0; f < factors.size(); f += each)
          sum += static_cast<double>(factors[f + i]) * static_cast<double>(factors[f + size.x + j]) *
                 static_cast<double>(factors[f + size.x + size.y + k]);
        if (!(std::abs(sum - static_cast<double>(values[at])) <= allowed)) return false;
      }
  return true;
}

// A matrix as a sum of products; empty when there would be too many.
template <class T>
std::vector<T> products_of_matrix(extent size, std::span<const T> values, double largest) {
  std::vector<double> left(values.begin(), values.end());
  std::vector<T> factors;
  const std::uint32_t most = most_products(size);
  for (std::uint32_t rank = 0;; ++rank) {
    std::uint64_t pivot = 0;
    for (std::uint64_t i = 1; i < left.size(); ++i)
      if (std::abs(left[i]) > std::abs(left[pivot])) pivot = i;
    if (std::abs(left[pivot]) <= 0.5 * tolerance<T> * largest) return factors;
    if (rank == most) return {};
    const std::uint64_t px = pivot % size.x, py = pivot / size.x;
    std::vector<double> row(size.x), column(size.y);
    double whole = 1;  // the factor that makes the integers of a row as small as possible
    if constexpr (std::is_integral_v<T>) {
      std::int64_t divisor = 0;
      for (std::uint64_t i = 0; i < size.x; ++i)
        divisor = std::gcd(divisor, static_cast<std::int64_t>(left[py * size.x + i]));
      whole = static_cast<double>(divisor);
    }
    for (std::uint64_t i = 0; i < size.x; ++i) row[i] = left[py * size.x + i] / whole;
    for (std::uint64_t j = 0; j < size.y; ++j) column[j] = left[j * size.x + px] / row[px];
    if constexpr (std::is_integral_v<T>)
      for (const double c : column)
        if (c != std::rint(c) || std::abs(c) > 0x1p30) return {};
    for (const double r : row) factors.push_back(static_cast<T>(r));
    for (const double c : column) factors.push_back(static_cast<T>(c));
    factors.push_back(1);
    // Subtracts the rounded factors, not the exact ones, so that the next product corrects some of their rounding.
    const T *rounded_row = factors.data() + factors.size() - 1 - size.y - size.x,
            *rounded_column = rounded_row + size.x;
    for (std::uint64_t j = 0; j < size.y; ++j)
      for (std::uint64_t i = 0; i < size.x; ++i)
        left[j * size.x + i] -= static_cast<double>(rounded_row[i]) * static_cast<double>(rounded_column[j]);
  }
}

// A mask of three dimensions as one product, or none.
template <class T>
std::vector<T> product_of_volume(extent size, std::span<const T> values) {
  const auto pivot = static_cast<std::uint64_t>(
      std::max_element(values.begin(), values.end(),
                       [](T a, T b) { return std::abs(static_cast<double>(a)) < std::abs(static_cast<double>(b)); }) -
      values.begin());
  const std::uint64_t px = pivot % size.x, py = pivot / size.x % size.y, pz = pivot / size.x / size.y;
  const auto at = [&](std::uint64_t i, std::uint64_t j, std::uint64_t k) {
    return static_cast<double>(values[(k * size.y + j) * size.x + i]);
  };
  std::vector<double> row(size.x), column(size.y), pillar(size.z);
  for (std::uint64_t i = 0; i < size.x; ++i) row[i] = at(i, py, pz);
  for (std::uint64_t j = 0; j < size.y; ++j) column[j] = at(px, j, pz) / at(px, py, pz);
  for (std::uint64_t k = 0; k < size.z; ++k) pillar[k] = at(px, py, k) / at(px, py, pz);
  if constexpr (std::is_integral_v<T>) {
    // Divides each factor by its divisor; the row is multiplied by it.
    const auto reduce = [](std::vector<double>& line, double pivot_of_line) {
      std::int64_t divisor = 0;
      for (const double v : line) divisor = std::gcd(divisor, static_cast<std::int64_t>(v * pivot_of_line));
      for (double& v : line) v = v * pivot_of_line / static_cast<double>(divisor);
    };
    for (std::uint64_t j = 0; j < size.y; ++j) column[j] = at(px, j, pz);
    for (std::uint64_t k = 0; k < size.z; ++k) pillar[k] = at(px, py, k);
    reduce(column, 1), reduce(pillar, 1);
    const double scale = column[py] * pillar[pz];
    for (double& v : row) {
      v /= scale;
      if (v != std::rint(v)) return {};
    }
  }
  std::vector<T> factors;
  for (const std::vector<double>* line : {&row, &column, &pillar})
    for (const double v : *line) factors.push_back(static_cast<T>(v));
  return factors;
}

}  // namespace

template <class T>
mask_analysis<T> analysed(extent size, std::span<const T> values) {
  mask_analysis<T> a;
  a.constant = std::all_of(values.begin(), values.end(), [&](T v) { return v == values[0]; });
  a.symmetric = true;
  for (std::uint64_t k = 0, at = 0; k < size.z; ++k)
    for (std::uint64_t j = 0; j < size.y; ++j)
      for (std::uint64_t i = 0; i < size.x; ++i, ++at)
        a.symmetric = a.symmetric && values[at] == values[(k * size.y + j) * size.x + size.x - 1 - i] &&
                      values[at] == values[(k * size.y + size.y - 1 - j) * size.x + i] &&
                      values[at] == values[((size.z - 1 - k) * size.y + j) * size.x + i];
  const int axes = (size.x > 1) + (size.y > 1) + (size.z > 1);
  double largest = 0;
  for (const T v : values) largest = std::max(largest, std::abs(static_cast<double>(v)));
  if (axes < 2 || largest == 0 || most_products(size) == 0) return a;
  a.factors = size.z > 1 ? product_of_volume<T>(size, values) : products_of_matrix<T>(size, values, largest);
  if (!reproduces<T>(size, values, a.factors, tolerance<T> * largest)) a.factors.clear();
  a.rank = static_cast<std::uint32_t>(a.factors.size() / (size.x + size.y + size.z));
  return a;
}

template mask_analysis<std::int32_t> analysed(extent, std::span<const std::int32_t>);
template mask_analysis<float> analysed(extent, std::span<const float>);
template mask_analysis<double> analysed(extent, std::span<const double>);

void require_mask(extent size, const extent& anchor, std::uint64_t values, const double* not_finite) {
  const auto text = [](const extent& e) {
    return std::to_string(e.x) + " x " + std::to_string(e.y) + (e.z > 1 ? " x " + std::to_string(e.z) : std::string());
  };
  if (size.x == 0 || size.y == 0 || size.z == 0)
    throw error(fault::bad_argument, "mask", "it has no elements", "give at least one along each axis");
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  if (size.x >= most || size.y >= most || size.z >= most || size.x * size.y >= most || size.count() / size.z >= most ||
      size.count() != values)
    throw error(fault::bad_argument, "mask",
                "a mask of " + text(size) + " does not match " + std::to_string(values) + " values",
                "give one value for each element, x fastest");
  if (anchor.x >= size.x || anchor.y >= size.y || anchor.z >= size.z)
    throw error(fault::bad_argument, "mask",
                "the anchor (" + std::to_string(anchor.x) + ", " + std::to_string(anchor.y) + ", " +
                    std::to_string(anchor.z) + ") is outside a mask of " + text(size),
                "give an anchor inside the mask");
  if (not_finite)
    throw error(fault::bad_argument, "mask",
                std::isnan(*not_finite) ? "one of its values is NaN" : "one of its values is infinite",
                "give finite numbers");
}

}  // namespace upsweep
