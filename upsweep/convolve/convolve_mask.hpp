// mask: the weights of a convolution, from host values, with properties found in them: whether they split into a row
// times a column (times a pillar), whether they are symmetric, whether they are all one number.
//
//   upsweep::mask<float> blur({3, 3}, {1, 2, 1,  2, 4, 2,  1, 2, 1});     // x fastest; anchored in its middle
//   upsweep::mask<float> shift({4, 1}, {0, 0, 0, 1}, upsweep::extent{0, 0, 0});   // anchored at its first element
//
// The anchor is the element of the mask that is multiplied by the pixel whose result is computed; by default size / 2
// along each axis. A mask may have even sizes, and be larger than the picture.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "upsweep/core/image_shape.hpp"

namespace upsweep {

// The properties of a mask's values. Only masks of two and three dimensions are split; a signal's mask has one factor.
template <class T>
struct mask_analysis {
  // The mask is the sum of `rank` products of a row, a column and a pillar; 0: it does not split into few enough to
  // save time. Floats: the sum differs from each element by at most 2^-20 (f64: 2^-48) of the largest element.
  // Integers: exact.
  std::uint32_t rank = 0;
  std::vector<T> factors;  // size.x of the row, size.y of the column, size.z of the pillar; the next product after it
  bool symmetric = false;  // symmetric along each axis
  bool constant = false;   // all elements are one number: a box
};

template <class T>
mask_analysis<T> analysed(extent size, std::span<const T> values);

extern template mask_analysis<std::int32_t> analysed(extent, std::span<const std::int32_t>);
extern template mask_analysis<float> analysed(extent, std::span<const float>);
extern template mask_analysis<double> analysed(extent, std::span<const double>);

// Throws fault::bad_argument for a mask without elements, an element that is infinite or NaN, a number of values other
// than the mask's size, or an anchor outside it.
void require_mask(extent size, const extent& anchor, std::uint64_t values, const double* not_finite);

template <class T>
class mask {
  static_assert(std::is_same_v<T, std::int32_t> || std::is_same_v<T, float> || std::is_same_v<T, double>,
                "upsweep: a mask holds std::int32_t, float or double, the type of the sums");

 public:
  mask(extent size, std::span<const T> values, std::optional<extent> anchor = std::nullopt)
      : size_(size), anchor_(anchor.value_or(extent{size.x / 2, size.y / 2, size.z / 2})) {
    const std::optional<double> bad = first_not_finite(values);
    require_mask(size_, anchor_, values.size(), bad ? &*bad : nullptr);
    values_.assign(values.begin(), values.end());
    analysis_ = analysed<T>(size_, values_);
  }
  mask(extent size, std::initializer_list<T> values, std::optional<extent> anchor = std::nullopt)
      : mask(size, std::span<const T>(values.begin(), values.size()), anchor) {}

  extent size() const { return size_; }
  extent anchor() const { return anchor_; }
  std::span<const T> values() const { return values_; }  // x fastest
  std::uint32_t rank() const { return analysis_.rank; }
  std::span<const T> factors() const { return analysis_.factors; }
  bool symmetric() const { return analysis_.symmetric; }
  bool constant() const { return analysis_.constant; }

 private:
  static std::optional<double> first_not_finite(std::span<const T> values) {
    if constexpr (std::is_floating_point_v<T>)
      for (const T v : values)
        if (!(v - v == 0)) return static_cast<double>(v);
    return std::nullopt;
  }

  extent size_, anchor_;
  std::vector<T> values_;
  mask_analysis<T> analysis_;
};

}  // namespace upsweep
