// filters: image filters other than convolutions: median, bilateral, recursive_gaussian, non_maximum_suppression,
// hysteresis_threshold and resize, for signals and images of one to four channels.
//
//   upsweep::median(cpu, in, upsweep::image_layout{{640, 480}, 3}, 2, out);                       // 5 x 5
//   upsweep::bilateral(cpu, in, upsweep::image_layout{{640, 480}, 3}, 3.0f, 0.1f, out);
//   upsweep::resize(cpu, in, upsweep::image_layout{{640, 480}, 3}, out, {320, 240}, upsweep::resampling::lanczos);
//   upsweep::median(gpu, frame.span(), upsweep::image_layout{{640, 480}, 3}, 1, clean.span());    // on the device
//   upsweep::resize(gpu, clean, upsweep::image_layout{{640, 480}, 3}, small, {320, 240}, upsweep::resampling::area);
//
// median, bilateral and recursive_gaussian filter a signal (image_layout{{n}}) along its one axis; its border continues
// it at both ends. An image with one row is filtered in two dimensions: its border also continues it upwards and
// downwards.
//
// All filters take f32. The operands are all in device memory (device spans, buffers) or all in host memory (contiguous
// ranges), with the image layout of convolve.hpp and a z of 1. Channels are independent unless stated otherwise. A NaN
// affects only the results that depend on it; they are NaN or any number.
//
// Where        Every backend, unless stated otherwise. For a GPU, images in host memory are copied to the device and
//              the results back.
// Requires     `out` does not overlap any input. Elements in the gaps between rows are neither read nor written.
// Scratch      CPU: some tiles for each thread, from the heap. Devices: hysteresis_threshold eight bytes a pixel;
//              resize its weights and an image of the new width and the old height, owned by the context; images in
//              host memory in addition.
// Determinism  Results are bitwise equal from run to run, with any number of threads, and from device spans as from
//              host memory. Results of median and hysteresis_threshold are also equal across devices.
// Asynchrony   Device spans: enqueued. resize enqueues once its weights are on the device, and waits for them if the
//              thread's last call had another shape. Host memory: done on return.
// Errors       upsweep::error: an empty image, a span too small for it, a pitch less than a row, channels other than
//              1 to 4, overlap of in and out, border::none, a parameter outside its range.
#pragma once

#include <array>
#include <string_view>

#include "upsweep/filters/filters_operands.hpp"

namespace upsweep {

// Result     out(x, y): the median of the (2·radius+1)² elements around (x, y); each result is an element of the input.
//            A NaN counts as the largest.
// Requires   radius up to most_median_radius, on devices up to 32.
// Work       A radius up to 3: selection with 20, 130 and 470 comparisons. A larger radius on the CPU and CUDA:
//            O(radius) an element; the elements of a tile are sorted once, and a window slides over their ranks. A
//            larger radius on OpenCL: 32 reads of each element of the window.
// Source     Suomela, "Median filtering is equivalent to sorting", 2014; Paeth, "Median finding on a 3x3 grid", 1990.
inline constexpr std::uint32_t most_median_radius = 255;
template <class X, class Y>
  requires operands<X, Y>
void median(const context& where, const X& in, const image_layout& picture, std::uint32_t radius, Y&& out,
            border edge = border::mirror) {
  detail::filters_impl::median(where, detail::filters_impl::read_floats(in), picture, radius,
                               detail::filters_impl::written_floats(out), edge);
}

// Result     out(x, y): the weighted mean of the pixels within a distance of max(1, ceil(2.5 sigma_space)) of (x, y).
//            The weight is exp(-d² / 2 sigma_space²) for the distance d in pixels, times exp(-c² / 2 sigma_range²) for
//            the distance c in colour over all channels. The second factor has a relative |error| <= 4e-6, and is 0
//            below exp(-17).
// Requires   0 < sigma_space <= 100, sigma_range > 0.
// Work       One exponential for each pixel of the disc: O(sigma_space²) a pixel.
// Source     Tomasi and Manduchi, "Bilateral filtering for gray and color images", 1998.
template <class X, class Y>
  requires operands<X, Y>
void bilateral(const context& where, const X& in, const image_layout& picture, float sigma_space, float sigma_range,
               Y&& out, border edge = border::mirror) {
  detail::filters_impl::bilateral(where, detail::filters_impl::read_floats(in), picture, sigma_space, sigma_range,
                                  detail::filters_impl::written_floats(out), edge);
}

// Result     out: the image smoothed by a Gaussian of standard deviation sigma, computed by recursive filters whose
//            work does not depend on sigma. An infinite or NaN element affects exactly the results within 4 sigma + 1/2
//            of it along both axes. For finite elements, the difference from the normalised sum over all positions with
//            weights exp(-d² / 2 sigma²) is at most recursive_gaussian_error times the largest element for sigma >= 1,
//            and 0.02 times the largest element for a smaller sigma.
// Where      Every backend; OpenCL devices need doubles.
// Requires   0.5 <= sigma <= 1000.
// Work       32 products an element, in doubles. convolve() with the mask takes 6 sigma products for each axis.
// Source     Deriche, "Recursively implementing the Gaussian and its derivatives", 1993.
inline constexpr double recursive_gaussian_error = 2e-3;
template <class X, class Y>
  requires operands<X, Y>
void recursive_gaussian(const context& where, const X& in, const image_layout& picture, float sigma, Y&& out,
                        border edge = border::mirror) {
  detail::filters_impl::recursive_gaussian(where, detail::filters_impl::read_floats(in), picture, sigma,
                                           detail::filters_impl::written_floats(out), edge);
}

// Result     out(x, y): the length of the gradient (across, down)(x, y) if neither neighbour along the gradient,
//            rounded to the nearest of four directions, is longer; else 0. Of two equal neighbours, the first along the
//            direction is kept. Beyond the edges the gradient is 0.
// Requires   One channel, rows without gaps in all three images.
// Source     Canny, "A computational approach to edge detection", 1986.
template <class X, class D, class Y>
  requires operands<X, D, Y>
void non_maximum_suppression(const context& where, const X& across, const D& down, extent size, Y&& out) {
  detail::filters_impl::non_maximum_suppression(where, detail::filters_impl::read_floats(across),
                                                detail::filters_impl::read_floats(down), size,
                                                detail::filters_impl::written_floats(out));
}

// Result     out(x, y): 1 where in(x, y) >= high, or where in(x, y) >= low and pixels >= low connect (x, y) to a pixel
//            >= high, each one of the eight neighbours of the pixel before; else 0.
// Requires   One channel, rows without gaps; 0 < low <= high.
// Work       CPU: one thread follows the edges and visits a pixel once for each of its neighbours on an edge. Devices:
//            union-find of connected pixels (Galler and Fischer 1964), one union for each pair of neighbours.
// Source     As non_maximum_suppression.
template <class X, class Y>
  requires operands<X, Y>
void hysteresis_threshold(const context& where, const X& in, extent size, float low, float high, Y&& out) {
  detail::filters_impl::hysteresis_threshold(where, detail::filters_impl::read_floats(in), size, low, high,
                                             detail::filters_impl::written_floats(out));
}

// How resize computes a pixel of the result from the pixels of the input.
enum class resampling : std::uint8_t {
  nearest,  // the input pixel that contains the centre of the result pixel
  area,     // the mean of the area that the result pixel covers
  linear,   // a triangle (tent) kernel
  cubic,    // the Catmull-Rom kernel; overshoots at edges
  lanczos,  // a windowed sinc with three lobes; overshoots at edges
};
inline constexpr std::array all_resamplings{resampling::nearest, resampling::area, resampling::linear,
                                            resampling::cubic, resampling::lanczos};
constexpr std::string_view name_of(resampling r) {
  constexpr std::string_view names[]{"nearest", "area", "linear", "cubic", "lanczos"};
  return names[static_cast<int>(r)];
}

// Result     out: the image at size `to`. Pixels are adjacent squares: the left edge of the first and the right edge of
//            the last pixel keep their positions. Where the image shrinks, the kernel widens with it, so that every
//            input pixel contributes. Weights outside the image are distributed among those inside. A constant image
//            keeps its value up to rounding.
// Requires   A size `to` of at least one pixel. picture.out_pitch: elements between rows of `out`, 0 without gaps.
// Work       First one direction, then the other: O(support) for each element of the result and each direction.
// Source     Mitchell and Netravali 1988; Duchon, "Lanczos filtering in one and two dimensions", 1979.
template <class X, class Y>
  requires operands<X, Y>
void resize(const context& where, const X& in, const image_layout& picture, Y&& out, extent to, resampling how) {
  detail::filters_impl::resize(where, detail::filters_impl::read_floats(in), picture,
                               detail::filters_impl::written_floats(out), to, how);
}

}  // namespace upsweep
