// The kernels that one thread runs for a convolution; the instruction set is chosen at run time, once.
//
// Everything is built from one kernel: some rows of results, each a weighted sum of lines. A direct convolution applies
// it once with the whole mask. A split one applies it twice: a row's products of one line, then a column's of some
// lines.
#pragma once

#include <cstdint>

#include "upsweep/types.hpp"

namespace upsweep::cpu {

inline constexpr std::uint64_t most_rows = 4;  // of results at once
inline constexpr std::uint64_t line_step =
    16;  // elements: kernels process lines in whole multiples of it, which must be readable

// For r < rows, x < count (a multiple of line_step):
//   out[r][x] (+)= Σ weights[j * width + i] · lines[r + j][x + i * step]   for i < width, j < height
// Lines are of type f32, f64 or u32. `add`: adds to `out`. `bytes`: lines are f32, `out` is u8, rounded and saturated.
struct weighted {
  const void* const* lines;
  void* const* out;
  const void* weights;
  std::uint64_t rows, count, width, height, step;
  bool add, bytes = false;
};
using weighted_kernel = void (*)(const weighted&);
weighted_kernel weighted_sums(dtype sum);  // f32, f64, or u32

// Symmetric lines in fixed point: sums of u16, with a fraction of eight bits. weights[0] is the middle's, in 65536ths,
// weights[i] that of the two elements at distance i from it, together; all of them sum to 65536 at most.
inline constexpr std::uint64_t byte_step = 64;  // elements: the counterpart of line_step
struct folded {
  const void* const* lines;  // 2 * reach + 1 lines of sums; for the row one line of u8
  void* out;
  const std::uint16_t* weights;
  std::uint64_t count, reach, step;  // the row's elements are `step` apart
};
using folded_kernel = void (*)(const folded&);
// From bytes to sums along a row: of every byte_step elements those of even index first, then those of odd index. And
// from such sums to bytes.
folded_kernel fold_row();
folded_kernel fold_column();

// Convert elements to the type of sums, and back: rounded and saturated as by detail::convolve_impl::stored.
using line_kernel = void (*)(const void* from, void* to, std::uint64_t count);
line_kernel to_accumulator_line(dtype element, dtype sum);
line_kernel store_line(dtype sum, dtype result);

// to[i] = a[i] · b[i], interleaved complex numbers of f32 or f64; may be in place.
using spectrum_kernel = void (*)(const void* a, const void* b, void* to, std::uint64_t count);
spectrum_kernel multiply_spectra(dtype real);

// Combines two lines as the real and imaginary parts of one, and extracts part 0 or 1.
using interleave_kernel = void (*)(const void* real, const void* imaginary, void* to, std::uint64_t count);
using deinterleave_kernel = void (*)(const void* from, int part, void* to, std::uint64_t count);
interleave_kernel interleave_lines(dtype real);
deinterleave_kernel deinterleave_line(dtype real);

}  // namespace upsweep::cpu
