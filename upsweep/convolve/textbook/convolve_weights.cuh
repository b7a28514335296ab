// What a rung of convolve knows: a row or a picture of T (f32, or i32 as unsigned integers, whose sums wrap), a mask,
// zeros beyond the edges, and `fma(sum, weight, element)`, which is one unit of work.
#pragma once

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::convolve_variants {

inline constexpr unsigned most_weights = 4096;         // in constant memory: 16 KiB of its 64
inline constexpr unsigned most_tile = (48 << 10) / 4;  // elements in the shared memory that a block has without asking

// Which of the mask's elements lies over which of the input's: out(x, y) sums weight(i, j) · in(x + i - before_x, y + j
// - before_y).
struct shape {
  std::uint64_t width = 0, height = 0;
  unsigned mask_x = 0, mask_y = 0, before_x = 0, before_y = 0;
  bool turned = false;
  UPSWEEP_HD unsigned weights() const { return mask_x * mask_y; }
  // Where weight (i, j) stands in the mask.
  UPSWEEP_HD unsigned at(unsigned i, unsigned j) const {
    const unsigned place = j * mask_x + i;
    return turned ? weights() - 1 - place : place;
  }
};

inline shape shape_of(const detail::convolve_impl::problem& p) {
  const auto small = [](std::uint64_t x) { return static_cast<unsigned>(x); };
  return {p.size.x, p.size.y, small(p.mask.x), small(p.mask.y), small(p.anchor.x), small(p.anchor.y), p.flipped};
}

// Of elements before the first or after the last there are none: place - before wraps around to a large number.
__device__ inline bool inside(std::uint64_t place, unsigned before, std::uint64_t size) {
  return place - before < size;
}

struct multiply_add {
  template <class T>
  UPSWEEP_HD T operator()(T sum, std::type_identity_t<T> weight, std::type_identity_t<T> element) const {
    return sum + weight * element;
  }
};

inline const char* variant_cannot(const detail::convolve_impl::problem& p) {
  if ((p.type != dtype::f32 && p.type != dtype::i32) || p.out_type != p.type || p.mask_type != p.type)
    return "types other than i32 and f32";
  if (p.edge != border::zero) return "a border other than zero";
  if (p.channels != 1) return "several channels";
  if (p.pitch > p.size.x || p.out_pitch > p.size.x) return "rows with gaps";
  if (p.mask.z > 1 || p.size.z > 1) return "volumes";
  return nullptr;
}
inline const char* row_cannot(const detail::convolve_impl::problem& p) {
  return p.mask.y > 1 || p.size.y > 1 ? "pictures" : variant_cannot(p);
}
inline const char* constant_row_cannot(const detail::convolve_impl::problem& p) {
  return p.mask.count() > most_weights ? "more than 4096 weights" : row_cannot(p);
}

// ---- the mask in constant memory: an array for each type, filled before the launch

UPSWEEP_CONSTANT(float, float_weights, most_weights){};
UPSWEEP_CONSTANT(std::uint32_t, integer_weights, most_weights){};

template <class T>
__device__ T constant_weight(unsigned i) {
  if constexpr (std::is_same_v<T, float>)
    return float_weights[i];
  else
    return integer_weights[i];
}

template <class T, class Grid>
void fill_constant_weights(Grid& grid, global<const T> mask, unsigned count) {
  if constexpr (std::is_same_v<T, float>)
    grid.fill_constant(float_weights, mask, count);
  else
    grid.fill_constant(integer_weights, mask, count);
}

// ---- what rungs declare: of n alone for the catalog, with a mask of nine elements; of a whole problem by counts_of

struct counts_of_problem {
  double work = 0, span = 0, launches = 0, traffic = 0;
};

// Products of which the element is inside: along one axis of `size` places, under `mask` of which `before` lie before
// the place.
inline double products_inside(std::uint64_t size, std::uint64_t mask, std::uint64_t before) {
  double all = 0;
  for (std::uint64_t i = 0; i < mask; ++i) {
    const std::uint64_t off = i < before ? before - i : i - before;
    all += off < size ? static_cast<double>(size - off) : 0;
  }
  return all;
}

struct defaults : variant_defaults {
  static constexpr formula work{"mask * n, less what lies outside (9n for a mask of 9)",
                                [](double n) { return 9 * n; }};
  static constexpr formula span{"mask (9 for a mask of 9)", [](double) { return 9.0; }};
  static constexpr formula launches{"1", [](double) { return 1.0; }};
};

// Tiles of a picture, in the order of their rows.
struct tile_grid {
  std::uint64_t across, down;
  UPSWEEP_HD std::uint64_t count() const { return across * down; }
};
constexpr tile_grid tiles_of(std::uint64_t width, std::uint64_t height, unsigned tile_x, unsigned tile_y) {
  return {blocks_for(width, tile_x), blocks_for(height, tile_y)};
}

// Calls f(type of the elements): sums of integers wrap, as unsigned ones do.
template <class F>
void with_elements(const detail::convolve_impl::problem& p, F f) {
  if (p.type == dtype::f32) f(type_tag<float>{});
  if (p.type == dtype::i32) f(type_tag<std::uint32_t>{});
}

}  // namespace upsweep::textbook::convolve_variants
