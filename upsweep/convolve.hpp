// convolve, correlate: convolution and correlation of signals, images and volumes with a mask (a kernel, in the terms
// of image processing), like scipy.ndimage.convolve and correlate.
//
//   upsweep::mask<float> blur({3, 3}, {1, 2, 1,  2, 4, 2,  1, 2, 1});
//   upsweep::convolve(gpu, in.span(), upsweep::image_layout{{640, 480}, 3}, blur, out.span(), upsweep::border::mirror);
//   upsweep::correlate(cpu, signal, upsweep::mask<double>({5}, {1, 2, 3, 2, 1}), result);  // one row, zeros beyond it
//   std::puts(upsweep::explain(cpu, upsweep::dtype::f32, {{640, 480}}, blur).c_str());    // the algorithm it would run
//
// Result       correlate: out(x, y, z) = Σ mask(i, j, k) · in(x + i - a.x, y + j - a.y, z + k - a.z) with the mask's
//              anchor a. convolve: out(x, y, z) = Σ mask(i, j, k) · in(x - i + a.x, y - j + a.y, z - k + a.z): the
//              convolution of a single 1 is the mask, with its anchor at the position of the 1. Channels are
//              independent. A mask of one row filters each row independently, so a batch of signals is an image with
//              one signal a row.
//              Beyond the edges, upsweep::border defines the elements. With border::none, only positions that need no
//              element beyond the edges have a result: out has `size - mask + 1` elements along each axis, none where
//              the mask is larger, and the anchor does not matter.
// Types        Elements: i32 (mask i32), f32 (f32), f64 (f64), u8 (mask i32 or f32), f16 (f32). Results: the elements'
//              type; for u8 and f16 elements alternatively the mask's type. Sums are computed in the mask's type.
//              Integer sums wrap, and are exact where no sum exceeds 32 bits. A u8 result is rounded half to even and
//              saturated; NaN becomes 0.
// Requires     A size of at least one position, 1 to 4 interleaved channels, rows `pitch` elements apart (0: no gaps).
//              Elements in the gaps are neither read nor written. `out` does not overlap `in`.
// Work         Direct: one product for each element of the mask and each result. A mask that is the sum of r outer
//              products of vectors along x, y and z: r times the sum of the mask's sizes instead. A mask whose elements
//              are all equal (CPU, no volumes): three additions, and O(log width) more. FFT (CPU, floats, large masks):
//              O(log mask). explain() returns the algorithm and the reason.
// Moved        Each element is read about once, and each result is written once; the halo of a tile is read again.
// Scratch      CPU: some rows for each thread, or a tile. OpenCL: none, or two images of sums where the mask splits.
//              The context owns the scratch; the second call of the same shape allocates none.
// Precision    Direct and split: |error| <= (t + 8) · eps · Σ|mask·in| for t products a result and eps 2^-24 (f64:
//              2^-53); a split adds 2^-20 (2^-48) of t times the mask's largest element. FFT adds 64 · eps · Σ|mask| ·
//              max|in|. With every algorithm, a NaN or an infinity affects exactly the results whose windows contain
//              it; where its weight is 0, the product is NaN.
//              CPU, u8 elements: an f32 mask is evaluated in fixed point if it is a row times a column, each symmetric,
//              of odd size and without negative weights, with width + height up to 32 and a sum up to 1. Then |error|
//              <= (width + height) / 256 before rounding, which is half up.
// Determinism  Results are bitwise equal from run to run on one context and with any number of threads. Across devices,
//              only integer results are equal.
// Asynchrony   Device spans: enqueued once the mask is on the device; the call waits for the copy if the thread's last
//              mask there was a different one. Host memory: done on return.
// Errors       upsweep::error: an empty image, a span too small for it, a pitch less than a row, channels other than
//              1 to 4, an unsupported combination of types (at compile time), overlap; of a mask: no elements, a value
//              that is NaN or infinite, an anchor outside.
// Source       textbook; separable masks by rank: Treitel and Shanks 1971; overlap-save: Stockham 1966; boxes: van
//              Herk, Gil and Werman 1992.
#pragma once

#include "upsweep/convolve/convolve_mask.hpp"
#include "upsweep/convolve/convolve_operands.hpp"

namespace upsweep {

// The number of results along each axis.
constexpr extent convolved_size(extent size, extent mask, border edge = border::zero) {
  return {detail::convolve_impl::result_count(edge, size.x, mask.x),
          detail::convolve_impl::result_count(edge, size.y, mask.y),
          detail::convolve_impl::result_count(edge, size.z, mask.z)};
}

// Images and volumes.
template <class X, class T, class Y>
  requires operands<X, Y>
void convolve(const context& where, const X& in, const image_layout& picture, const mask<T>& m, Y&& out,
              border edge = border::zero) {
  detail::convolve_impl::apply("convolve", where, core::read_operand(in), picture, m, true, core::written_operand(out),
                               edge);
}
template <class X, class T, class Y>
  requires operands<X, Y>
void correlate(const context& where, const X& in, const image_layout& picture, const mask<T>& m, Y&& out,
               border edge = border::zero) {
  detail::convolve_impl::apply("correlate", where, core::read_operand(in), picture, m, false,
                               core::written_operand(out), edge);
}

// A signal: all of `in` is one row.
template <class X, class T, class Y>
  requires operands<X, Y>
void convolve(const context& where, const X& in, const mask<T>& m, Y&& out, border edge = border::zero) {
  convolve(where, in, image_layout{{core::read_operand(in).size(), 1, 1}}, m, out, edge);
}
template <class X, class T, class Y>
  requires operands<X, Y>
void correlate(const context& where, const X& in, const mask<T>& m, Y&& out, border edge = border::zero) {
  correlate(where, in, image_layout{{core::read_operand(in).size(), 1, 1}}, m, out, edge);
}

// The algorithm that a call with these arguments would run, and the reason: "separable: the mask is a row times a
// column, 30 products an element instead of 225".
template <class T>
std::string explain(const context& where, dtype elements, const image_layout& picture, const mask<T>& m,
                    std::optional<dtype> results = std::nullopt, border edge = border::zero) {
  return detail::convolve_impl::explained(
      where,
      detail::convolve_impl::problem_for("explain", elements, results.value_or(elements), picture, m, false, edge));
}

}  // namespace upsweep
