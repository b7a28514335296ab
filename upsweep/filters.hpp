// median, bilateral, recursive_gaussian, thin_edges, linked_edges, resize: what is done to pictures and is no
// convolution.
//
//   upsweep::median(cpu, in, upsweep::raster{{640, 480}, 3}, 2, out);                        // 5 x 5
//   upsweep::bilateral(cpu, in, upsweep::raster{{640, 480}, 3}, 3.0f, 0.1f, out);
//   upsweep::resize(cpu, in, upsweep::raster{{640, 480}, 3}, out, {320, 240}, upsweep::resampling::lanczos);
//
// All of them take f32 in host memory, rasters as convolve.hpp has them (a z of 1), and hold for each channel by itself
// unless it is said otherwise. A NaN spoils the results that it is a part of, which are NaN or any number; no others.
//
// Where        every backend, unless it is said otherwise. On a device the pictures are taken there and the result is
//              brought back.
// Scratch      a few tiles a thread, from the heap. Devices: the pictures; linked_edges eight bytes a pixel more,
//              resize a picture of the new width and the old height.
// Determinism  The same bits run to run and with any number of threads; across devices median and linked_edges.
// Asynchrony   done on return.
// Errors       upsweep::error: an empty picture, a span too small for it, a pitch less than a row, channels other than
//              1 to 4, overlap of in and out, border::none, a parameter outside its range.
#pragma once

#include <span>
#include <string_view>

#include "upsweep/context.hpp"
#include "upsweep/convolve/operands.hpp"
#include "upsweep/core/shape.hpp"

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
void median(const context&, std::span<const float> in, const raster&, std::uint32_t radius, std::span<float> out,
            border = border::mirror);

// Result     out(x, y): the mean of the pixels no further from (x, y) than ceil(2.5 sigma_space), 1 at least, each with
//            the weight exp(-d² / 2 sigma_space²) of its distance in pixels times exp(-c² / 2 sigma_range²) of its
//            distance in colour, over all channels. The second has |error| <= 4e-6 of it, and is 0 below exp(-17).
// Requires   0 < sigma_space <= 100, sigma_range > 0.
// Work       an exponential for each pixel of the disc: O(sigma_space²) a pixel.
// Source     Tomasi and Manduchi, "Bilateral filtering for gray and color images", 1998.
void bilateral(const context&, std::span<const float> in, const raster&, float sigma_space, float sigma_range,
               std::span<float> out, border = border::mirror);

// Result     out: the picture under a Gaussian of standard deviation sigma, by recursion: the same work whatever sigma
//            is. It differs from the sum over all places with the weights exp(-d² / 2 sigma²), normalised, by no more
//            than recursive_gaussian_error times the largest element, sigma 1 and more (below: 0.02).
// Where      the CPU; another backend throws fault::unsupported.
// Requires   0.5 <= sigma <= 1000.
// Work       32 products an element, in doubles; convolve() with the mask takes 6 sigma products for each axis.
// Source     Deriche, "Recursively implementing the Gaussian and its derivatives", 1993.
inline constexpr double recursive_gaussian_error = 2e-3;
void recursive_gaussian(const context&, std::span<const float> in, const raster&, float sigma, std::span<float> out,
                        border = border::mirror);

// Result     out(x, y): the length of the gradient (across, down)(x, y) where no neighbour along it, to the nearest of
//            four directions, is longer, else 0. Of two equal ones the first along the direction stays. Beyond the
//            edges the gradient is 0.
// Requires   one channel, rows without gaps in all three.
// Source     Canny, "A computational approach to edge detection", 1986.
void thin_edges(const context&, std::span<const float> across, std::span<const float> down, extent size,
                std::span<float> out);

// Result     out(x, y): 1 where in(x, y) >= high, or where it is >= low and joined to such a place through places >=
//            low, each among the eight next to the one before; else 0.
// Requires   one channel, rows without gaps; 0 < low <= high.
// Work       CPU: one thread follows the edges; a place is looked at once for each of its neighbours on an edge.
//            Devices:
//            trees of places that are joined are united (Galler and Fischer 1964), once for each pair of neighbours.
// Source     as thin_edges.
void linked_edges(const context&, std::span<const float> in, extent size, float low, float high, std::span<float> out);

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
void resize(const context&, std::span<const float> in, const raster&, std::span<float> out, extent to, resampling);

}  // namespace upsweep
