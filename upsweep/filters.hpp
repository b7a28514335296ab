// median, bilateral, recursive_gaussian, thin_edges, linked_edges, resize: what is done to pictures and is no
// convolution.
//
//   upsweep::median(cpu, in, upsweep::raster{{640, 480}, 3}, 2, out);                        // 5 x 5
//   upsweep::bilateral(cpu, in, upsweep::raster{{640, 480}, 3}, 3.0f, 0.1f, out);
//   upsweep::resize(cpu, in, upsweep::raster{{640, 480}, 3}, out, {320, 240}, upsweep::resampling::lanczos);
//   upsweep::median(gpu, frame.span(), upsweep::raster{{640, 480}, 3}, 1, clean.span());     // buffers: nothing leaves
//   upsweep::resize(gpu, clean, upsweep::raster{{640, 480}, 3}, small, {320, 240}, upsweep::resampling::area);
//
// All of them take f32, all in device memory (device spans, buffers) or all in the host's (whatever is contiguous),
// rasters as convolve.hpp has them (a z of 1), and hold for each channel by itself unless it is said otherwise. A NaN
// spoils the results that it is a part of, which are NaN or any number; no others.
//
// Where        every backend, unless it is said otherwise. On a device, pictures of the host are taken there and the
//              result is brought back.
// Requires     `out` overlaps no input. What is in the gaps between rows is neither read nor written.
// Scratch      a few tiles a thread, from the heap. Devices: linked_edges eight bytes a pixel, resize its weights and a
//              picture of the new width and the old height, owned by the context; pictures of the host besides.
// Determinism  The same bits run to run and with any number of threads, from device spans as from host memory; across
//              devices median and linked_edges.
// Asynchrony   device spans: enqueued; resize once its weights are on the device, which it waits for where the thread's
//              last call was of another shape. Host memory: done on return.
// Errors       upsweep::error: an empty picture, a span too small for it, a pitch less than a row, channels other than
//              1 to 4, overlap of in and out, border::none, a parameter outside its range.
#pragma once

#include <array>
#include <string_view>

#include "upsweep/filters/operands.hpp"

namespace upsweep {

// Result     out(x, y): the middle one, in order of size, of the (2·radius+1)² elements around (x, y), each an element
//            of the input. A NaN counts as the largest.
// Requires   radius up to most_median_radius, on devices up to 32.
// Work       up to a radius of 3 by selection: 20, 130 and 470 comparisons. Beyond, on the CPU and CUDA O(radius) an
//            element:
//            the elements of a tile are sorted once, and a window slides over their ranks; OpenCL: 32 looks at each
//            element of the window.
// Source     Suomela, "Median filtering is equivalent to sorting", 2014; Paeth, "Median finding on a 3x3 grid", 1990.
inline constexpr std::uint32_t most_median_radius = 255;
template <class X, class Y>
  requires operands<X, Y>
void median(const context& where, const X& in, const raster& picture, std::uint32_t radius, Y&& out,
            border edge = border::mirror) {
  filters_room::median(where, filters_room::read_floats(in), picture, radius, filters_room::written_floats(out), edge);
}

// Result     out(x, y): the mean of the pixels no further from (x, y) than ceil(2.5 sigma_space), 1 at least, each with
//            the weight exp(-d² / 2 sigma_space²) of its distance in pixels times exp(-c² / 2 sigma_range²) of its
//            distance in colour, over all channels. The second has |error| <= 4e-6 of it, and is 0 below exp(-17).
// Requires   0 < sigma_space <= 100, sigma_range > 0.
// Work       an exponential for each pixel of the disc: O(sigma_space²) a pixel.
// Source     Tomasi and Manduchi, "Bilateral filtering for gray and color images", 1998.
template <class X, class Y>
  requires operands<X, Y>
void bilateral(const context& where, const X& in, const raster& picture, float sigma_space, float sigma_range, Y&& out,
               border edge = border::mirror) {
  filters_room::bilateral(where, filters_room::read_floats(in), picture, sigma_space, sigma_range,
                          filters_room::written_floats(out), edge);
}

// Result     out: the picture under a Gaussian of standard deviation sigma, by recursion: the same work whatever sigma
//            is. It differs from the sum over all places with the weights exp(-d² / 2 sigma²), normalised, by no more
//            than recursive_gaussian_error times the largest element, sigma 1 and more (below: 0.02).
// Where      everywhere; on OpenCL where the device has doubles.
// Requires   0.5 <= sigma <= 1000.
// Work       32 products an element, in doubles; convolve() with the mask takes 6 sigma products for each axis.
// Source     Deriche, "Recursively implementing the Gaussian and its derivatives", 1993.
inline constexpr double recursive_gaussian_error = 2e-3;
template <class X, class Y>
  requires operands<X, Y>
void recursive_gaussian(const context& where, const X& in, const raster& picture, float sigma, Y&& out,
                        border edge = border::mirror) {
  filters_room::recursive_gaussian(where, filters_room::read_floats(in), picture, sigma,
                                   filters_room::written_floats(out), edge);
}

// Result     out(x, y): the length of the gradient (across, down)(x, y) where no neighbour along it, to the nearest of
//            four directions, is longer, else 0. Of two equal ones the first along the direction stays. Beyond the
//            edges the gradient is 0.
// Requires   one channel, rows without gaps in all three.
// Source     Canny, "A computational approach to edge detection", 1986.
template <class X, class D, class Y>
  requires operands<X, D, Y>
void thin_edges(const context& where, const X& across, const D& down, extent size, Y&& out) {
  filters_room::thin_edges(where, filters_room::read_floats(across), filters_room::read_floats(down), size,
                           filters_room::written_floats(out));
}

// Result     out(x, y): 1 where in(x, y) >= high, or where it is >= low and joined to such a place through places >=
//            low, each among the eight next to the one before; else 0.
// Requires   one channel, rows without gaps; 0 < low <= high.
// Work       CPU: one thread follows the edges; a place is looked at once for each of its neighbours on an edge.
//            Devices:
//            trees of places that are joined are united (Galler and Fischer 1964), once for each pair of neighbours.
// Source     as thin_edges.
template <class X, class Y>
  requires operands<X, Y>
void linked_edges(const context& where, const X& in, extent size, float low, float high, Y&& out) {
  filters_room::linked_edges(where, filters_room::read_floats(in), size, low, high, filters_room::written_floats(out));
}

// How a pixel of another size is made from those it covers.
enum class resampling : std::uint8_t {
  nearest,  // the pixel its middle lies in
  area,     // the mean of what it covers
  linear,   // a tent
  cubic,    // Catmull and Rom's; overshoots at edges
  lanczos,  // sinc over three lobes; overshoots at edges
};
inline constexpr std::array all_resamplings{resampling::nearest, resampling::area, resampling::linear,
                                            resampling::cubic, resampling::lanczos};
constexpr std::string_view name_of(resampling r) {
  constexpr std::string_view names[]{"nearest", "area", "linear", "cubic", "lanczos"};
  return names[static_cast<int>(r)];
}

// Result     out: the picture at size `to`, pixels being squares whose edges meet: the left edge of the first and the
//            right edge of the last stay where they are. Where the picture shrinks, the weights widen with it, so that
//            nothing is left out. Weights that fall outside are shared among those inside. A constant picture stays as
//            it is, to a rounding.
// Requires   a size `to` of a pixel at least. picture.out_pitch: elements between rows of `out`, 0 without gaps.
// Work       one direction, then the other: O(support) an element of the result for each.
// Source     Mitchell and Netravali 1988; Duchon, "Lanczos filtering in one and two dimensions", 1979.
template <class X, class Y>
  requires operands<X, Y>
void resize(const context& where, const X& in, const raster& picture, Y&& out, extent to, resampling how) {
  filters_room::resize(where, filters_room::read_floats(in), picture, filters_room::written_floats(out), to, how);
}

}  // namespace upsweep
