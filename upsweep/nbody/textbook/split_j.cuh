// nbody/split-j
//
// Source    T. Hamada and T. Iitaka, The Chamomile Scheme, 2007, whose blocks share out the masses as well as the
//           bodies.
// Teaches   few bodies do not fill a GPU with threads, but n² interactions do: each block takes some bodies and a slice
//           of the masses, and a second kernel adds up the slices' sums in their order, so that the result repeats bit
//           for bit.
// Work      as nbody/register-blocked, and an addition a slice and body. Span 4n/s and the slices s. Launches 2.
// Wrong     s sums a body go through memory: for many bodies nbody/register-blocked has the same speed without them.
#pragma once

#include "upsweep/nbody/textbook/nbody_register_blocked.cuh"

namespace upsweep::textbook::nbody_variants {

// Sums as they are, for those who add them up.
struct plain_sums {
  template <class T>
  __device__ vec4<T> operator()(const vec4<T>& sum) const {
    return sum;
  }
};

template <class T, class Pull>
__global__ void add_slices(global<const vec4<T>> sums, global<vec4<T>> out, std::uint64_t n, unsigned slices,
                           result_form<T> form, Pull pull) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  vec4<T> all{};
  for (unsigned s = 0; s < slices; ++s) {
    const vec4<T> one = sums[s * n + i];
    pull.add(all, one);
  }
  out[i] = form(all);
}

// As many slices as make some 2048 blocks, each of whole tiles.
template <unsigned block, unsigned bodies>
struct slicing {
  static constexpr double wanted_blocks = 2048;
  double slice, slices;
  explicit slicing(double n) {
    const double across = ceil_div(n, block * bodies), tiles = ceil_div(n, block);
    const double wanted = std::max(1.0, std::floor(wanted_blocks / std::max(across, 1.0)));
    slice = std::max(1.0, ceil_div(tiles, wanted)) * block;
    slices = std::max(1.0, ceil_div(n, slice));
  }
};

template <unsigned block = 128, unsigned bodies = 4>
struct split_j : defaults {
  static constexpr std::string_view name = "nbody/split-j";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "Hamada and Iitaka";
  static constexpr std::string_view teaches =
      "blocks share out the masses as well as the bodies; a second kernel adds up their sums in order";
  static constexpr std::uint64_t max_n = std::uint64_t{1} << 31;
  static constexpr formula work{"(n + ceil(n/128)) · 512 ceil(n/512) + n · slices", [](double n) {
                                  return (n + ceil_div(n, block)) * block * bodies * ceil_div(n, block * bodies) +
                                         n * slicing<block, bodies>(n).slices;
                                }};
  // Of a body's chain; the steps are fewer where slices run side by side, and four bodies' follow on each other.
  static constexpr formula span{"4(slice + slice/128) + slices, at most", [](double n) {
                                  const slicing<block, bodies> s(n);
                                  return bodies * (std::min(n, s.slice) + ceil_div(std::min(n, s.slice), block)) +
                                         s.slices;
                                }};
  static constexpr formula launches{"2", [](double) { return 2.0; }};
  static constexpr formula traffic{"at most n ceil(n/512) + (3 · slices + 1) n", [](double n) {
                                     const slicing<block, bodies> s(n);
                                     return n * ceil_div(n, block * bodies) + (3 * s.slices + 1) * n;
                                   }};

  template <class T, class Grid, class Pull>
  static void run(Grid& grid, global<const vec4<T>> in, global<vec4<T>> out, std::uint64_t n, T softening_squared,
                  result_form<T> form, Pull pull) {
    const slicing<block, bodies> cut(static_cast<double>(n));
    const auto slices = static_cast<unsigned>(cut.slices);
    global<vec4<T>> sums = grid.template scratch<vec4<T>>("sums", slices * n);
    grid.launch(pull_by_registers<block, bodies, T, plain_sums, Pull>, blocks_for(n, block * bodies) * slices, block,
                in, sums, n, static_cast<std::uint64_t>(cut.slice), softening_squared, plain_sums{}, pull);
    grid.launch(add_slices<T, Pull>, blocks_for(n, block), block, sums, out, n, slices, form, pull);
  }
};

}  // namespace upsweep::textbook::nbody_variants
