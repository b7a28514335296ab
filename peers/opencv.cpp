// OpenCV's filters and integral images, on as many threads as the device has.
#include <opencv2/core.hpp>
#include <opencv2/core/version.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "peers/peers.hpp"
#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/summed_area_table/summed_area_table_types.hpp"

namespace upsweep::peers {

namespace {

std::optional<int> border_of(border edge) {
  switch (edge) {
    case border::zero: return cv::BORDER_CONSTANT;
    case border::clamp: return cv::BORDER_REPLICATE;
    case border::reflect: return cv::BORDER_REFLECT;
    case border::mirror: return cv::BORDER_REFLECT_101;
    default: return std::nullopt;
  }
}

int depth_of(dtype t) {
  switch (t) {
    case dtype::u8: return CV_8U;
    case dtype::u32: return CV_32S;
    case dtype::f32: return CV_32F;
    default: return CV_64F;
  }
}

bool fits_int(extent size) { return size.x < 1u << 30 && size.y < 1u << 30 && size.z == 1; }

// The same memory as an OpenCV matrix, without a copy.
cv::Mat seen(const memory& at, dtype type, extent size, std::uint32_t channels, std::uint64_t pitch) {
  return {static_cast<int>(size.y), static_cast<int>(size.x), CV_MAKETYPE(depth_of(type), static_cast<int>(channels)),
          at.address(), pitch * size_of(type)};
}

template <class P>
prepared_for<P> with_threads(device& d, prepared_for<P> work) {
  return [threads = cpu::threads_of(d), work = std::move(work)](const P& p) {
    if (cv::getNumThreads() != threads) cv::setNumThreads(threads);
    work(p);
  };
}

const char* const version = "OpenCV " CV_VERSION;

namespace convolutions {

using problem = detail::convolve_impl::problem;
using primitive = detail::convolve_impl::primitive;
using prepared = prepared_for<problem>;
using detail::convolve_impl::geometry;

bool takes_filter(const problem& p) {
  return p.type == p.out_type &&
         ((p.type == dtype::f32 && p.mask_type == dtype::f32) || (p.type == dtype::u8 && p.mask_type == dtype::f32) ||
          (p.type == dtype::f64 && p.mask_type == dtype::f64)) &&
         border_of(p.edge) && fits_int(p.size) && p.mask.z == 1;
}

// Weights, or one factor of them, as they lie over the picture.
cv::Mat weights_of(const problem& p, const memory& from, std::uint64_t first, extent size) {
  const cv::Mat there(static_cast<int>(size.y), static_cast<int>(size.x), depth_of(p.mask_type),
                      from.plus_bytes(first * size_of(p.mask_type)).address());
  cv::Mat turned;
  if (p.flipped)
    cv::flip(there, turned, -1);
  else
    turned = there;
  return turned;
}

void filter(const problem& p) {
  const geometry g = detail::convolve_impl::geometry_of(p);
  cv::Mat out = seen(p.out, p.out_type, g.out, p.channels, g.out_pitch);
  cv::filter2D(seen(p.in, p.type, g.in, p.channels, g.in_pitch), out, -1, weights_of(p, p.in2, 0, p.mask),
               {static_cast<int>(p.anchor.x), static_cast<int>(p.anchor.y)}, 0, *border_of(p.edge));
}

void filter_split(const problem& p) {
  const geometry g = detail::convolve_impl::geometry_of(p);
  cv::Mat out = seen(p.out, p.out_type, g.out, p.channels, g.out_pitch);
  cv::sepFilter2D(seen(p.in, p.type, g.in, p.channels, g.in_pitch), out, -1, weights_of(p, p.in3, 0, {p.mask.x, 1, 1}),
                  weights_of(p, p.in3, p.mask.x, {p.mask.y, 1, 1}),
                  {static_cast<int>(p.anchor.x), static_cast<int>(p.anchor.y)}, 0, *border_of(p.edge));
}

// The sigma of the Gaussian that the mask is, or 0 where it is none: of a narrow one as what is next to its middle
// tells, of a wide one as its weights' distances do.
double sigma_of(const problem& p) {
  const auto* row = p.in3.as<const float>();
  const std::uint64_t size = p.mask.x, middle = size / 2;
  const auto squared_distance = [&](std::uint64_t i) {
    const double off = static_cast<double>(i) - static_cast<double>(middle);
    return off * off;
  };
  double all = 0, squares = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    if (!(row[i] >= 0) || row[i] != row[size + i]) return 0;
    all += row[i], squares += row[i] * squared_distance(i);
  }
  if (!(row[middle] > row[middle + 1] && row[middle + 1] > 0)) return 0;
  const double sigma = size > 9 ? std::sqrt(squares / all)
                                : std::sqrt(0.5 / std::log(static_cast<double>(row[middle]) / row[middle + 1]));
  double sum = 0;
  for (std::uint64_t i = 0; i < size; ++i) sum += std::exp(-squared_distance(i) / (2 * sigma * sigma));
  for (std::uint64_t i = 0; i < size; ++i)
    if (!(std::abs(row[i] / all - std::exp(-squared_distance(i) / (2 * sigma * sigma)) / sum) <= 0.1 / sum)) return 0;
  return sigma;
}

bool takes_gaussian(const problem& p) {
  return takes_filter(p) && p.rank == 1 && !p.constant && p.mask.x == p.mask.y && p.mask.x % 2 == 1 && p.mask.x >= 3 &&
         p.anchor == extent{p.mask.x / 2, p.mask.y / 2, 0};
}

prepared prepare_gaussian(device& d, const problem& shape) {
  const double sigma = sigma_of(shape);
  if (sigma == 0)
    throw error(fault::unsupported, "GaussianBlur", "the mask is not a Gaussian", "compare it with sepFilter2D");
  return with_threads<problem>(d, [sigma](const problem& p) {
    const geometry g = detail::convolve_impl::geometry_of(p);
    cv::Mat out = seen(p.out, p.out_type, g.out, p.channels, g.out_pitch);
    cv::GaussianBlur(seen(p.in, p.type, g.in, p.channels, g.in_pitch), out,
                     {static_cast<int>(p.mask.x), static_cast<int>(p.mask.y)}, sigma, sigma, *border_of(p.edge));
  });
}

void add(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{"opencv", version, "filter2D; large masks by its FFT", backend::cpu,
                                   primitive::convolve, takes_filter,
                                   [](device& d, const problem&) { return with_threads<problem>(d, filter); }});
  list.push_back(peer_for<problem>{"opencv-sep", version, "sepFilter2D", backend::cpu, primitive::convolve,
                                   [](const problem& p) { return p.rank == 1 && takes_filter(p); },
                                   [](device& d, const problem&) { return with_threads<problem>(d, filter_split); }});
  list.push_back(peer_for<problem>{"opencv-gaussian", version,
                                   "GaussianBlur; of u8 in fixed point, off by one level here and there", backend::cpu,
                                   primitive::convolve, takes_gaussian, prepare_gaussian});
}

}  // namespace convolutions

namespace tables {

using problem = detail::summed_area_table_impl::problem;
using primitive = detail::summed_area_table_impl::primitive;
using prepared = prepared_for<problem>;
using detail::summed_area_table_impl::box_result;

// ---- boxes

bool takes_box(const problem& p) {
  const bool types =
      (p.type == dtype::u8 && p.out_type == dtype::u8) || (p.type == dtype::f32 && p.out_type == dtype::f32);
  return p.box == box_result::mean && types && p.channels == 1 && fits_int(p.size) && p.radius.x < 1u << 15 &&
         p.radius.y < 1u << 15;
}

// Places of which the box reaches over the edge: the mean of what is there, from sums with zeros beyond.
void mean_of_frame(const cv::Mat& in, cv::Mat& out, cv::Rect part, cv::Size box, extent radius) {
  if (part.width <= 0 || part.height <= 0) return;
  cv::Mat sums;
  cv::boxFilter(in(part), sums, in.depth() == CV_8U ? CV_32S : CV_64F, box, {-1, -1}, false, cv::BORDER_CONSTANT);
  for (int y = 0; y < part.height; ++y)
    for (int x = 0; x < part.width; ++x) {
      const auto at_x = static_cast<std::uint64_t>(part.x + x), at_y = static_cast<std::uint64_t>(part.y + y);
      const auto count = static_cast<double>(
          detail::summed_area_table_impl::window_at(at_x, radius.x, static_cast<std::uint64_t>(in.cols)) *
          detail::summed_area_table_impl::window_at(at_y, radius.y, static_cast<std::uint64_t>(in.rows)));
      if (in.depth() == CV_8U)
        out.at<unsigned char>(part.y + y, part.x + x) =
            static_cast<unsigned char>(std::rint(sums.at<int>(y, x) / count));
      else
        out.at<float>(part.y + y, part.x + x) = static_cast<float>(sums.at<double>(y, x) / count);
    }
}

void box_mean(const problem& p) {
  const cv::Mat in = seen(p.in, p.type, p.size, 1, detail::summed_area_table_impl::pitch_of(p));
  cv::Mat out = seen(p.out, p.out_type, p.size, 1, detail::summed_area_table_impl::out_pitch_of(p));
  const cv::Size box(static_cast<int>(2 * p.radius.x + 1), static_cast<int>(2 * p.radius.y + 1));
  cv::boxFilter(in, out, -1, box, {-1, -1}, true, cv::BORDER_CONSTANT);
  const int rx = std::min(static_cast<int>(p.radius.x), in.cols), ry = std::min(static_cast<int>(p.radius.y), in.rows);
  mean_of_frame(in, out, {0, 0, in.cols, ry}, box, p.radius);
  mean_of_frame(in, out, {0, in.rows - ry, in.cols, ry}, box, p.radius);
  mean_of_frame(in, out, {0, 0, rx, in.rows}, box, p.radius);
  mean_of_frame(in, out, {in.cols - rx, 0, rx, in.rows}, box, p.radius);
}

// ---- integral images

bool takes_integral(const problem& p) {
  const bool types = (p.type == dtype::u8 && p.out_type == dtype::u32) ||
                     (p.type == dtype::f32 && (p.out_type == dtype::f32 || p.out_type == dtype::f64)) ||
                     (p.type == dtype::f64 && p.out_type == dtype::f64);
  return types && fits_int(p.size);
}

// OpenCV's table has a row and a column of zeros more, and so it has a place of its own; what is in it goes to the
// output when the call is made for the first time, which is when it is checked.
prepared prepare_integral(device& d, const problem& shape) {
  auto table = std::make_shared<cv::Mat>();
  table->create(static_cast<int>(shape.size.y) + 1, static_cast<int>(shape.size.x) + 1,
                CV_MAKETYPE(depth_of(shape.out_type), static_cast<int>(shape.channels)));
  return with_threads<problem>(d, [table, shown = false](const problem& p) mutable {
    cv::integral(seen(p.in, p.type, p.size, p.channels, detail::summed_area_table_impl::pitch_of(p)), *table,
                 depth_of(p.out_type));
    if (shown) return;
    shown = true;
    cv::Mat out = seen(p.out, p.out_type, p.size, p.channels, detail::summed_area_table_impl::out_pitch_of(p));
    (*table)(cv::Rect(1, 1, table->cols - 1, table->rows - 1)).copyTo(out);
  });
}

void add(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{"opencv", version, "boxFilter, and its frame again by the elements that are there",
                                   backend::cpu, primitive::box_filter, takes_box,
                                   [](device& d, const problem&) { return with_threads<problem>(d, box_mean); }});
  list.push_back(peer_for<problem>{"opencv", version,
                                   "integral, with a row and a column of zeros more, in a place of its own",
                                   backend::cpu, primitive::summed_area_table, takes_integral, prepare_integral});
}

}  // namespace tables

}  // namespace

void add_opencv(std::vector<peer>& list) {
  convolutions::add(list);
  tables::add(list);
}

}  // namespace upsweep::peers
