// Converts the public forms to this algorithm's problems: checks of pictures, and copies to devices.
#include <algorithm>
#include <string>
#include <vector>

#include "upsweep/convolve/convolve_operands.hpp"
#include "upsweep/filters/filters_problem.hpp"

namespace upsweep::detail::filters_impl {

namespace {

using input = core::operand<const float>;
using output = core::operand<float>;

std::uint64_t pitch_or(std::uint64_t given, extent size, std::uint32_t channels) {
  return given ? given : size.x * channels;
}

// Throws upsweep::error where a filter cannot run it.
void require_filter(const char* where, const context& c, input in, const image_layout& r, output out, extent out_size) {
  const auto require = [&](const char* what, std::uint64_t there, extent size, std::uint64_t pitch) {
    // The contract of convolve's pictures, for a mask of one element.
    detail::convolve_impl::problem p;
    p.type = p.out_type = p.mask_type = dtype::f32;
    p.size = size, p.channels = r.channels, p.pitch = p.out_pitch = pitch, p.edge = border::zero;
    detail::convolve_impl::require_picture(where, p);
    const std::uint64_t wanted = detail::convolve_impl::span_of(size, r.channels, pitch);
    if (there < wanted)
      throw error(fault::bad_argument, where,
                  std::string(what) + " has " + std::to_string(there) + " elements, and the picture spans " +
                      std::to_string(wanted),
                  "give that many");
  };
  if (r.size.z != 1 || out_size.z != 1)
    throw error(fault::unsupported, where, "it takes pictures, and this is a volume", "filter its slices");
  if (r.signal && r.size.y != 1)
    throw error(fault::bad_argument, where, "a signal of " + std::to_string(r.size.y) + " rows", "give it one");
  require("the input", in.size(), r.size, pitch_or(r.pitch, r.size, r.channels));
  require("the output", out.size(), out_size, pitch_or(r.out_pitch, out_size, r.channels));
  core::require_no_overlap(where, c, {{"the input", in}, {"the output", out}});
}

void require_border(const char* where, border edge) {
  if (edge == border::none)
    throw error(fault::bad_argument, where, "border::none is not supported by filters that keep a picture's size",
                "give another border");
}

problem problem_of(primitive what, const image_layout& r) {
  problem p;
  p.what = what, p.size = p.to = r.size, p.channels = r.channels, p.pitch = r.pitch, p.out_pitch = r.out_pitch;
  p.signal = r.signal;
  p.n = r.size.count() * r.channels;
  return p;
}

// Directly on pictures that the device can access. Host pictures are copied to a device without the gaps between their
// rows, and the gaps of the result keep their values.
void apply(const context& where, problem p, input in, input in2, output out) {
  if (in.accessible_from(where)) {
    p.in = in.where(), p.in2 = in2.where(), p.out = out.where();
    return detail::filters_impl::run(where, p);
  }
  const extent out_size = detail::filters_impl::out_size(p);
  const std::uint64_t row = p.size.x * p.channels, out_row = out_size.x * p.channels, pitch = in_pitch(p),
                      to_pitch = out_pitch(p);
  const auto dense = [&](input x) {
    if (x.size() == 0 || pitch == row) return buffer<float>(where, x.host().first(x.size() ? row * p.size.y : 0));
    std::vector<float> packed(row * p.size.y);
    for (std::uint64_t y = 0; y < p.size.y; ++y) std::copy_n(&x[y * pitch], row, &packed[y * row]);
    return buffer<float>(where, packed);
  };
  const buffer<float> from = dense(in), from2 = dense(in2);
  buffer<float> to(where, out_row * out_size.y);
  p.in = from.span().where(), p.in2 = from2.span().where(), p.out = to.span().where(), p.pitch = p.out_pitch = 0;
  detail::filters_impl::run(where, p);
  if (to_pitch == out_row) return to.download(out.host().first(out_row * out_size.y));
  const std::vector<float> result = to.download();
  for (std::uint64_t y = 0; y < out_size.y; ++y) std::copy_n(&result[y * out_row], out_row, &out[y * to_pitch]);
}

}  // namespace

void median(const context& where, input in, const image_layout& r, std::uint32_t radius, output out, border edge) {
  require_filter("median", where, in, r, out, r.size);
  require_border("median", edge);
  if (radius > most_median_radius)
    throw error(fault::bad_argument, "median",
                "a radius of " + std::to_string(radius) + " is more than " + std::to_string(most_median_radius),
                "make the picture smaller first");
  if (where.kind() != backend::cpu && radius > most_device_median_radius)
    throw error(fault::unsupported, "median",
                "a radius of " + std::to_string(radius) + " is more than the " +
                    std::to_string(most_device_median_radius) + " that " + where.name() + " takes",
                "give context::cpu(), or on the command line --device cpu");
  problem p = problem_of(primitive::median, r);
  p.radius = radius, p.edge = edge;
  apply(where, p, in, {}, out);
}

void bilateral(const context& where, input in, const image_layout& r, float sigma_space, float sigma_range, output out,
               border edge) {
  require_filter("bilateral", where, in, r, out, r.size);
  require_border("bilateral", edge);
  if (!(sigma_space > 0 && sigma_space <= 100 && sigma_range > 0))
    throw error(fault::bad_argument, "bilateral", "the sigmas must be above 0, and that of space at most 100",
                "give such");
  problem p = problem_of(primitive::bilateral, r);
  p.space = sigma_space, p.range = sigma_range, p.edge = edge;
  apply(where, p, in, {}, out);
}

void recursive_gaussian(const context& where, input in, const image_layout& r, float sigma, output out, border edge) {
  require_filter("recursive_gaussian", where, in, r, out, r.size);
  require_border("recursive_gaussian", edge);
  if (!(sigma >= 0.5f && sigma <= 1000))
    throw error(fault::bad_argument, "recursive_gaussian", "sigma must be from 0.5 to 1000", "give such");
  problem p = problem_of(primitive::recursive_gaussian, r);
  p.space = sigma, p.edge = edge;
  apply(where, p, in, {}, out);
}

void non_maximum_suppression(const context& where, input across, input down, extent size, output out) {
  require_filter("non_maximum_suppression", where, across, image_layout{size}, out, size);
  require_filter("non_maximum_suppression", where, down, image_layout{size}, out, size);
  apply(where, problem_of(primitive::non_maximum_suppression, image_layout{size}), across, down, out);
}

void hysteresis_threshold(const context& where, input in, extent size, float low, float high, output out) {
  require_filter("hysteresis_threshold", where, in, image_layout{size}, out, size);
  if (!(low > 0 && low <= high))
    throw error(fault::bad_argument, "hysteresis_threshold", "the thresholds must satisfy 0 < low <= high",
                "give such");
  if (where.kind() != backend::cpu && size.count() >= std::uint64_t{1} << 32)
    throw error(fault::unsupported, "hysteresis_threshold", "pictures of 2^32 pixels and more run on the CPU only",
                "give context::cpu()");
  problem p = problem_of(primitive::hysteresis_threshold, image_layout{size});
  p.low = low, p.high = high;
  apply(where, p, in, {}, out);
}

void resize(const context& where, input in, const image_layout& r, output out, extent to, resampling how) {
  require_filter("resize", where, in, r, out, to);
  if (std::max({r.size.x, r.size.y, to.x, to.y}) >> 28)
    throw error(fault::unsupported, "resize", "a side of 2^28 pixels or more is too long", "resize its parts");
  problem p = problem_of(primitive::resize, r);
  p.to = to, p.how = how;
  apply(where, p, in, {}, out);
}

}  // namespace upsweep::detail::filters_impl
