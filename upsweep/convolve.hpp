// convolve, correlate: signals, pictures and volumes under a mask.
//
//   upsweep::mask<float> blur({3, 3}, {1, 2, 1,  2, 4, 2,  1, 2, 1});
//   upsweep::convolve(gpu, in.span(), upsweep::raster{{640, 480}, 3}, blur, out.span(), upsweep::border::mirror);
//   upsweep::correlate(cpu, signal, upsweep::mask<double>({5}, {1, 2, 3, 2, 1}), result);  // one row, zeros beyond it
//   std::puts(upsweep::explain(cpu, upsweep::dtype::f32, {{640, 480}}, blur).c_str());     // what it would run
//
// Result       correlate: out(x, y, z) = Σ mask(i, j, k) · in(x + i - a.x, y + j - a.y, z + k - a.z) with the mask's
//              anchor a. convolve: out(x, y, z) = Σ mask(i, j, k) · in(x - i + a.x, y - j + a.y, z - k + a.z): the
//              picture of a single 1 is the mask, its anchor where the 1 was. Each channel by itself. A mask of one row
//              works on each row by itself, so that a batch of signals is a picture.
//              Beyond the edges: as upsweep::border says. border::none: only places that need nothing from beyond have
//              a result; out is `size - mask + 1` along each axis, nothing where the mask is larger, and the anchor
//              does not matter.
// Types        elements i32 (mask i32), f32 (f32), f64 (f64), u8 (mask i32 or f32), f16 (f32). Results: the elements'
//              type; or of u8 and f16, the mask's. Sums are made in the mask's type: integers wrap, and are exact where
//              no sum passes 32 bits; a u8 result is rounded, half to even, and saturated; NaN becomes 0.
// Requires     a size of one place at least, 1 to 4 interleaved channels, rows `pitch` elements apart, 0 meaning
//              without gaps. What is in the gaps is neither read nor written. `out` overlaps `in` nowhere.
// Work         direct: a product for each element of mask and result. A mask that is the sum of r products of row,
//              column and pillar: r times the sum of its sizes instead. One that is one number (CPU, no volumes): three
//              additions, and O(log width) more. FFT (CPU, floats, large masks): O(log mask).
//              explain() says which, and why.
// Moved        each element is read about once, and each result written once; the halo of a tile is read again.
// Scratch      CPU: some rows a thread, or a tile; OpenCL: none, or two pictures of sums where the mask splits. Owned
//              by the context, none allocated in the second call of the same shape.
// Precision    direct and split: |error| <= (t + 8) · eps · Σ|mask·in|, of t products a result, eps 2^-24 (f64: 2^-53),
//              and the split's own 2^-20 (2^-48) of t times the mask's largest element. FFT: 64 · eps · Σ|mask| ·
//              max|in| besides, and a NaN or an infinity makes all results of its tile NaN, and of the tile that is
//              transformed with it, where the others confine it to those that it is a part of.
//              CPU, u8 from a mask of f32 that is a row times a column, each the same from both ends, odd, without
//              negative weights, of width + height up to 32 and sum up to 1: in fixed point, |error| <= (width +
//              height) / 256 before it is rounded, there half up.
// Determinism  The same bits run to run on one context and with any number of threads; not across devices, integers
//              excepted.
// Asynchrony   device spans: enqueued once the mask is on the device, which is waited for where the thread's last mask
//              there was another. Host memory: done on return.
// Errors       upsweep::error: an empty picture, a span too small for it, a pitch less than a row, channels other than
//              1 to 4, types that do not go together (at compile time), overlap; of a mask: no elements, a value that
//              is NaN or infinite, an anchor outside.
// Source       textbook; separable masks by rank: Treitel and Shanks 1971; overlap-save: Stockham 1966; boxes: van
//              Herk, Gil and Werman 1992.
#pragma once

#include "upsweep/convolve/mask.hpp"
#include "upsweep/convolve/operands.hpp"

namespace upsweep {

// How many places along each axis have a result.
constexpr extent convolved_size(extent size, extent mask, border edge = border::zero) {
  return {convolve_room::places(edge, size.x, mask.x), convolve_room::places(edge, size.y, mask.y),
          convolve_room::places(edge, size.z, mask.z)};
}

// Pictures.
template <class X, class T, class Y>
  requires operands<X, Y>
void convolve(const context& where, const X& in, const raster& picture, const mask<T>& m, Y&& out,
              border edge = border::zero) {
  convolve_room::apply("convolve", where, core::read_operand(in), picture, m, true, core::written_operand(out), edge);
}
template <class X, class T, class Y>
  requires operands<X, Y>
void correlate(const context& where, const X& in, const raster& picture, const mask<T>& m, Y&& out,
               border edge = border::zero) {
  convolve_room::apply("correlate", where, core::read_operand(in), picture, m, false, core::written_operand(out), edge);
}

// A signal: all of `in` is one row.
template <class X, class T, class Y>
  requires operands<X, Y>
void convolve(const context& where, const X& in, const mask<T>& m, Y&& out, border edge = border::zero) {
  convolve(where, in, raster{{core::read_operand(in).size(), 1, 1}}, m, out, edge);
}
template <class X, class T, class Y>
  requires operands<X, Y>
void correlate(const context& where, const X& in, const mask<T>& m, Y&& out, border edge = border::zero) {
  correlate(where, in, raster{{core::read_operand(in).size(), 1, 1}}, m, out, edge);
}

// Which algorithm a call would take, and why: "separable: the mask is a row times a column, 30 products an element
// instead of 225".
template <class T>
std::string explain(const context& where, dtype elements, const raster& picture, const mask<T>& m,
                    std::optional<dtype> results = std::nullopt, border edge = border::zero) {
  return convolve_room::explained(
      where, convolve_room::problem_for("explain", elements, results.value_or(elements), picture, m, false, edge));
}

}  // namespace upsweep
