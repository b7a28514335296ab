// What one thread does for a convolution; the instruction set is chosen at run time, once.
//
// Everything is made of one kernel: some rows of results, each a weighted sum of lines. A direct convolution is that
// with the whole mask, a split one is that twice: a row's products of one line, then a column's of some lines.
#pragma once

#include <cstdint>

#include "upsweep/types.hpp"

namespace upsweep::cpu {

inline constexpr std::uint64_t most_rows = 4;  // of results at once
inline constexpr std::uint64_t line_step =
    16;  // elements: lines are worked on, and must be readable, in whole multiples of it

// For r < rows, x < count (a multiple of line_step):
//   out[r][x] (+)= Σ weights[j * width + i] · lines[r + j][x + i * step]   for i < width, j < height
// Lines are of type f32, f64 or u32. `add`: to what is there. `bytes`: of f32, `out` is u8, rounded and saturated.
struct weighted {
  const void* const* lines;
  void* const* out;
  const void* weights;
  std::uint64_t rows, count, width, height, step;
  bool add, bytes = false;
};
using weighted_kernel = void (*)(const weighted&);
weighted_kernel weighted_sums(dtype sum);  // f32, f64, or u32

// Lines that are the same from both ends, in fixed point: sums of u16, eight bits of them fraction. weights[0] is that
// of the middle, in 65536ths, weights[i] that of the two elements i from it, together; all of them are 65536 at most.
inline constexpr std::uint64_t byte_step = 64;  // elements: what line_step is to the others
struct folded {
  const void* const* lines;  // 2 * reach + 1 of sums; the row's is one, of u8
  void* out;
  const std::uint16_t* weights;
  std::uint64_t count, reach, step;  // the row's elements are `step` apart
};
using folded_kernel = void (*)(const folded&);
// Of bytes the sums along a row, of every byte_step elements first those of even places, then those of odd ones; and of
// such sums bytes.
folded_kernel fold_row();
folded_kernel fold_column();

// Elements to the type of sums, and back: rounded and saturated as convolve_room::stored says.
using line_kernel = void (*)(const void* from, void* to, std::uint64_t count);
line_kernel lift_line(dtype element, dtype sum);
line_kernel store_line(dtype sum, dtype result);

// to[i] = a[i] · b[i], complex numbers of f32 or f64, one after the other; may be in place.
using spectrum_kernel = void (*)(const void* a, const void* b, void* to, std::uint64_t count);
spectrum_kernel multiply_spectra(dtype real);

// Two lines as the real and imaginary parts of one, and part 0 or 1 of one.
using interleave_kernel = void (*)(const void* real, const void* imaginary, void* to, std::uint64_t count);
using deinterleave_kernel = void (*)(const void* from, int part, void* to, std::uint64_t count);
interleave_kernel interleave_lines(dtype real);
deinterleave_kernel deinterleave_line(dtype real);

}  // namespace upsweep::cpu
