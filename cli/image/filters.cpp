#include "cli/image/filters.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include "cli/image/stored_picture.hpp"
#include "upsweep/convolve.hpp"
#include "upsweep/filters.hpp"
#include "upsweep/histogram.hpp"

using namespace upsweep;

namespace {

upsweep::image_layout layout_of(const picture& p) { return {p.size(), p.channels}; }

picture like(const picture& p, std::uint32_t channels) {
  return {p.width, p.height, channels, p.depth, std::vector<float>(p.pixels() * channels)};
}

// Colours multiplied by alpha, stored in the second argument if there is an alpha channel; else the picture itself.
const picture& multiplied(const picture& given, picture& storage) {
  if (!given.has_alpha()) return given;
  storage = given;
  picture& p = storage;
  for (std::uint64_t i = 0; i < p.pixels(); ++i) {
    float* const s = &p.samples[i * p.channels];
    for (std::uint32_t c = 0; c < p.colours(); ++c) s[c] *= s[p.colours()];
  }
  return storage;
}

// Colour is over [0, 1] again; that of what cannot be seen is black.
picture divided(picture p) {
  for (float& s : p.samples) s = std::min(std::max(s, 0.0f), 1.0f);
  if (!p.has_alpha()) return p;
  for (std::uint64_t i = 0; i < p.pixels(); ++i) {
    float* const s = &p.samples[i * p.channels];
    const float alpha = s[p.colours()];
    for (std::uint32_t c = 0; c < p.colours(); ++c) s[c] = alpha > 0 ? std::min(s[c] / alpha, 1.0f) : 0.0f;
  }
  return p;
}

void keep_alpha(picture& p, const picture& from) {
  if (!p.has_alpha()) return;
  for (std::uint64_t i = 0; i < p.pixels(); ++i)
    p.samples[(i + 1) * p.channels - 1] = from.samples[(i + 1) * from.channels - 1];
}

// How bright a pixel is on black, by the weights of Rec. 601.
picture brightness(const picture& p) {
  picture grey = like(p, 1);
  for (std::uint64_t i = 0; i < p.pixels(); ++i) {
    const float* s = &p.samples[i * p.channels];
    const float value = p.colours() == 1 ? s[0] : 0.299f * s[0] + 0.587f * s[1] + 0.114f * s[2];
    grey.samples[i] = p.has_alpha() ? value * s[p.colours()] : value;
  }
  return grey;
}

picture grey_with_alpha(picture grey, const picture& original) {
  if (!original.has_alpha()) return grey;
  picture p = with_channels(grey, 2);
  keep_alpha(p, original);
  return p;
}

class filtering {
 public:
  filtering(const image_place& place, const image_step& step) : place_(place), step_(step) {}

  picture convolved(const picture& p, const mask<float>& m, bool turned = false) const {
    if (place_.explained)
      place_.explained->push_back(fmt::format("{} ({} x {}): {}", step_.filter->name, m.size().x, m.size().y,
                                              explain(place_.where, dtype::f32, layout_of(p), m, {}, place_.edge)));
    picture out = like(p, p.channels);
    const std::span<const float> in(p.samples);
    if (turned)
      convolve(place_.where, in, layout_of(p), m, std::span(out.samples), place_.edge);
    else
      correlate(place_.where, in, layout_of(p), m, std::span(out.samples), place_.edge);
    return out;
  }

  picture averaged(const picture& p, const mask<float>& m) const {
    picture storage;
    return divided(convolved(multiplied(p, storage), m));
  }

  // Away from the mean of what is around, by so much; in the mean's place.
  picture away_from(picture out, const picture& p, float amount, float threshold = 0) const {
    for (std::uint64_t i = 0; i < out.samples.size(); ++i) {
      const float by = p.samples[i] - out.samples[i];
      out.samples[i] = std::abs(by) >= threshold ? std::clamp(p.samples[i] + amount * by, 0.0f, 1.0f) : p.samples[i];
    }
    keep_alpha(out, p);
    return out;
  }

  double number(std::size_t i) const { return step_.numbers[i]; }
  float real(std::size_t i) const { return static_cast<float>(step_.numbers[i]); }
  const std::string& text(std::size_t i) const { return step_.texts[i]; }
  const image_place& place() const { return place_; }

 private:
  const image_place& place_;
  const image_step& step_;
};

mask<float> mask_from(extent size, const std::function<double(double, double)>& weight_at) {
  std::vector<double> weights;
  double sum = 0;
  for (std::uint64_t y = 0; y < size.y; ++y)
    for (std::uint64_t x = 0; x < size.x; ++x) {
      weights.push_back(weight_at(static_cast<double>(x) - static_cast<double>(size.x / 2),
                                  static_cast<double>(y) - static_cast<double>(size.y / 2)));
      sum += weights.back();
    }
  std::vector<float> values;
  for (const double w : weights) values.push_back(static_cast<float>(w / sum));
  return {size, std::span<const float>(values)};
}

mask<float> gaussian_mask(double sigma, std::uint32_t depth = 8) {
  const auto reach = static_cast<std::uint64_t>(gaussian_reach(sigma, depth));
  return mask_from({2 * reach + 1, 2 * reach + 1},
                   [&](double x, double y) { return std::exp(-(x * x + y * y) / (2 * sigma * sigma)); });
}

// A disc, as light spreads that is out of focus; a pixel at its rim counts by how far it is inside.
mask<float> disc_mask(double radius) {
  const auto reach = static_cast<std::uint64_t>(std::ceil(radius));
  return mask_from({2 * reach + 1, 2 * reach + 1},
                   [&](double x, double y) { return std::clamp(radius + 0.5 - std::hypot(x, y), 0.0, 1.0); });
}

const mask<float>& across_mask() {
  static const mask<float> m({3, 3}, {-0.25f, 0, 0.25f, -0.5f, 0, 0.5f, -0.25f, 0, 0.25f});
  return m;
}
const mask<float>& down_mask() {
  static const mask<float> m({3, 3}, {-0.25f, -0.5f, -0.25f, 0, 0, 0, 0.25f, 0.5f, 0.25f});
  return m;
}

picture gaussian(const filtering& f, const picture& p) {
  picture out = f.averaged(p, gaussian_mask(f.number(0), p.depth));
  constexpr double crossover = 12;  // measured: upsweep/filters/README.md
  if (f.place().explained && f.number(0) >= crossover && f.place().where.kind() == backend::cpu)
    f.place().explained->push_back(
        "gaussian: recursive-gaussian is faster from a sigma of 12 on, with an error of at most 0.002 of white");
  return out;
}
picture recursive(const filtering& f, const picture& p) {
  if (f.place().explained) f.place().explained->push_back("recursive-gaussian: 32 products an element for any sigma");
  picture storage;
  const picture& in = multiplied(p, storage);
  picture out = like(p, p.channels);
  recursive_gaussian(f.place().where, in.samples, layout_of(p), f.real(0), out.samples, f.place().edge);
  return divided(std::move(out));
}
picture blur(const filtering& f, const picture& p) { return f.averaged(p, disc_mask(f.number(0))); }
picture box(const filtering& f, const picture& p) {
  const auto side = static_cast<std::uint64_t>(f.number(0));
  return f.averaged(p, mask_from({side, side}, [](double, double) { return 1.0; }));
}
picture sharpen(const filtering& f, const picture& p) {
  static const mask<float> around({3, 3}, {0, 0.25f, 0, 0.25f, 0, 0.25f, 0, 0.25f, 0});
  return f.away_from(f.averaged(p, around), p, 4 * f.real(0));
}
picture unsharp(const filtering& f, const picture& p) {
  return f.away_from(f.averaged(p, gaussian_mask(f.number(0), p.depth)), p, f.real(1), f.real(2));
}
picture sobel(const filtering& f, const picture& p) {
  const picture grey = brightness(p), across = f.convolved(grey, across_mask()), down = f.convolved(grey, down_mask());
  picture length = like(p, 1);
  for (std::uint64_t i = 0; i < length.samples.size(); ++i)
    length.samples[i] = std::sqrt(across.samples[i] * across.samples[i] + down.samples[i] * down.samples[i]);
  return grey_with_alpha(divided(std::move(length)), p);
}
picture laplacian(const filtering& f, const picture& p) {
  static const mask<float> m({3, 3}, {0, 1, 0, 1, -4, 1, 0, 1, 0});
  picture bend = f.convolved(brightness(p), m);
  for (float& s : bend.samples) s = std::abs(s);
  return grey_with_alpha(divided(std::move(bend)), p);
}
picture emboss(const filtering& f, const picture& p) {
  const float a = f.real(0);
  picture storage;
  picture out = f.convolved(multiplied(p, storage), mask<float>({3, 3}, {-2 * a, -a, 0, -a, 1, a, 0, a, 2 * a}));
  keep_alpha(out, p);
  return divided(std::move(out));
}
picture median_of(const filtering& f, const picture& p) {
  picture storage;
  const picture& in = multiplied(p, storage);
  picture out = like(p, p.channels);
  median(f.place().where, in.samples, layout_of(p), static_cast<std::uint32_t>(f.number(0)), out.samples,
         f.place().edge);
  return divided(std::move(out));
}
picture bilateral_of(const filtering& f, const picture& p) {
  picture storage;
  const picture& in = multiplied(p, storage);
  picture out = like(p, p.channels);
  bilateral(f.place().where, in.samples, layout_of(p), f.real(0), f.real(1), out.samples, f.place().edge);
  return divided(std::move(out));
}
picture canny(const filtering& f, const picture& p) {
  if (f.number(1) > f.number(2))
    throw error(fault::bad_argument, "canny", fmt::format("low, {}, is above high, {}", f.text(1), f.text(2)),
                "exchange them");
  picture thin = f.convolved(brightness(p), gaussian_mask(f.number(0)));
  {
    const picture across = f.convolved(thin, across_mask()), down = f.convolved(thin, down_mask());
    non_maximum_suppression(f.place().where, across.samples, down.samples, p.size(), thin.samples);
  }
  picture linked = like(p, 1);
  hysteresis_threshold(f.place().where, thin.samples, p.size(), f.real(1), f.real(2), linked.samples);
  return grey_with_alpha(std::move(linked), p);
}
picture threshold(const filtering& f, const picture& p) {
  picture opaque = p;  // what the colour itself is, however much of it is seen
  if (p.has_alpha())
    for (std::uint64_t i = 0; i < p.pixels(); ++i) opaque.samples[(i + 1) * p.channels - 1] = 1;
  picture grey = brightness(opaque);
  for (float& s : grey.samples) s = s >= f.real(0) ? 1.0f : 0.0f;
  return grey_with_alpha(std::move(grey), p);
}

// Brightness becomes the part of the picture that is as dark or darker: the sums of its histogram. Every colour moves
// by as much as the brightness does. Where all is of one brightness, or nothing is to be seen, the picture stays.
picture equalize(const filtering& f, const picture& p) {
  equalizer e(p.depth);
  e.count(f.place().where, p);
  e.close(f.place().where);
  return e.equalized(p);
}

// "640x480", "640x", "x480", "50%".
std::optional<extent> resized(const std::string& text, extent from) {
  const auto number = [](std::string_view digits) -> std::optional<double> {
    double n = 0;
    const auto [stop, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (bad != std::errc{} || stop != digits.data() + digits.size() || !(n > 0 && n < 1e9)) return std::nullopt;
    return n;
  };
  const auto rounded = [](double n) { return static_cast<std::uint64_t>(std::max(1.0, std::rint(n))); };
  const auto w = static_cast<double>(from.x), h = static_cast<double>(from.y);
  const std::string_view all = text;
  if (all.ends_with('%')) {
    const auto percent = number(all.substr(0, all.size() - 1));
    if (!percent) return std::nullopt;
    return extent{rounded(w * *percent / 100), rounded(h * *percent / 100)};
  }
  const std::size_t by = all.find('x');
  if (by == std::string_view::npos || all.size() == 1) return std::nullopt;
  const auto side = [&](std::string_view digits, double otherwise) -> std::optional<double> {
    if (digits.empty()) return otherwise;
    const auto n = number(digits);
    return n && *n == std::rint(*n) ? n : std::nullopt;
  };
  const auto width = side(all.substr(0, by), 0), height = side(all.substr(by + 1), 0);
  if (!width || !height) return std::nullopt;
  return extent{rounded(*width > 0 ? *width : w * *height / h), rounded(*height > 0 ? *height : h * *width / w)};
}

resampling resampling_named(const std::string& name) {
  for (const resampling r : all_resamplings)
    if (name == name_of(r)) return r;
  throw error(fault::bad_argument, "kernel '" + name + "'", "it is not known",
              "give nearest, area, linear, cubic or lanczos");
}

picture resize_to(const filtering& f, const picture& p) {
  const extent to = *resized(f.text(0), p.size());
  picture_files::require_size(fmt::format("resize:{}", f.text(0)), to.x, to.y, p.channels, f.place().memory,
                              picture_files::size_from::user);
  picture storage;
  const picture& in = multiplied(p, storage);
  picture out{to.x, to.y, p.channels, p.depth, std::vector<float>(to.count() * p.channels)};
  resize(f.place().where, in.samples, layout_of(p), out.samples, to, resampling_named(f.text(1)));
  return divided(std::move(out));
}

picture convolve_with(const filtering& f, const picture& p) {
  const mask_values given = mask_of_text("mask", f.text(0));
  if (given.size.z > 1)
    throw error(fault::bad_argument, "mask", "it has three axes, and a picture has two", "give a matrix");
  if (given.size.x % 2 == 0 || given.size.y % 2 == 0)
    throw error(fault::bad_argument, "mask", fmt::format("a mask of {} x {} has no centre", given.size.x, given.size.y),
                "give odd sides; pad with zeros");
  std::vector<float> values;
  double sum = 0;
  for (const double v : given.values) {
    values.push_back(static_cast<float>(v) * f.real(1));
    sum += v * f.number(1);
  }
  const mask<float> m(given.size, std::span<const float>(values));
  picture storage;
  picture out = f.convolved(multiplied(p, storage), m, true);
  // A mask without negative weights is an average, and alpha is averaged along; another one leaves alpha as it is.
  if (p.has_alpha() && sum > 0 && std::ranges::all_of(values, [](float v) { return v >= 0; }))
    for (std::uint64_t i = 0; i < p.pixels(); ++i) out.samples[(i + 1) * p.channels - 1] /= static_cast<float>(sum);
  else
    keep_alpha(out, p);
  for (std::uint64_t i = 0; i < out.samples.size(); ++i)
    if (!p.has_alpha() || i % p.channels != p.colours())
      out.samples[i] += f.real(2) * (p.has_alpha() ? out.samples[i / p.channels * p.channels + p.colours()] : 1.0f);
  return divided(std::move(out));
}

template <picture (*function)(const filtering&, const picture&)>
picture by(const image_place& place, const image_step& step, const picture& p) {
  return function(filtering(place, step), p);
}

double number_of(const image_filter& f, const filter_parameter& p, const std::string& text) {
  using kind = filter_parameter::kind;
  double n = 0;
  const auto [stop, bad] = std::from_chars(text.data(), text.data() + text.size(), n);
  const std::string where = fmt::format("{} of {}", p.name, f.name);
  if (bad != std::errc{} || stop != text.data() + text.size())
    throw error(fault::bad_argument, where, fmt::format("'{}' is not a number", text),
                fmt::format("{} is the {}", p.name, p.help));
  if (!(n >= p.least && n <= p.most))
    throw error(fault::bad_argument, where, fmt::format("{} is not from {} to {}", text, p.least, p.most),
                fmt::format("{} is the {}", p.name, p.help));
  if (p.type != kind::number && n != std::rint(n))
    throw error(fault::bad_argument, where, fmt::format("{} is not a whole number", text),
                fmt::format("{} is the {}", p.name, p.help));
  if (p.type == kind::odd && std::fmod(n, 2) == 0)
    throw error(fault::bad_argument, where, fmt::format("a mask of {} x {} has no centre", text, text),
                "give an odd number");
  return n;
}

}  // namespace

picture seen_by(const image_filter& f, picture p) {
  constexpr std::string_view names[]{"sobel", "laplacian", "canny", "threshold"};
  const bool grey = !p.has_alpha() && std::ranges::find(names, f.name) != std::end(names);
  return grey ? brightness(p) : std::move(p);
}

equalizer::equalizer(std::uint32_t depth) : most_(depth == 8 ? 255.0f : 65535.0f) {
  sums_.resize(static_cast<std::size_t>(most_) + 1);
}

std::uint16_t equalizer::level(float brightness) const {
  return static_cast<std::uint16_t>(std::rint(std::clamp(brightness, 0.0f, 1.0f) * most_));
}

picture equalizer::opaque_brightness(const picture& p) {
  if (!p.has_alpha()) return brightness(p);
  picture opaque = p;
  for (std::uint64_t i = 0; i < p.pixels(); ++i) opaque.samples[(i + 1) * p.channels - 1] = 1;
  return brightness(opaque);
}

void equalizer::count(const context& where, const picture& p) {
  const picture grey = opaque_brightness(p);
  std::vector<std::uint16_t> seen;
  for (std::uint64_t i = 0; i < p.pixels(); ++i)
    if (!p.has_alpha() || p.samples[(i + 1) * p.channels - 1] > 0) seen.push_back(level(grey.samples[i]));
  std::vector<std::uint64_t> counts(sums_.size());
  histogram(where, seen, counts, 0, static_cast<std::int64_t>(counts.size()));
  for (std::size_t i = 0; i < counts.size(); ++i) sums_[i] += counts[i];
}

void equalizer::close(const context& where) {
  const auto first = std::ranges::find_if(sums_, [](std::uint64_t n) { return n > 0; });
  darkest_ = first == sums_.end() ? 0 : *first;
  inclusive_scan(where, sums_, sums_);
}

picture equalizer::equalized(const picture& p) const {
  const std::uint64_t brighter = sums_.back() - darkest_;
  picture out = p;
  if (brighter == 0) return out;
  const picture grey = opaque_brightness(p);
  for (std::uint64_t i = 0; i < p.pixels(); ++i) {
    const std::uint64_t sum = std::max(sums_[level(grey.samples[i])], darkest_);  // what cannot be seen may be darker
    const float by =
        static_cast<float>(static_cast<double>(sum - darkest_) / static_cast<double>(brighter)) - grey.samples[i];
    for (std::uint32_t c = 0; c < p.colours(); ++c)
      out.samples[i * p.channels + c] = std::clamp(p.samples[i * p.channels + c] + by, 0.0f, 1.0f);
  }
  return out;
}

double gaussian_reach(double sigma, std::uint32_t depth) { return std::ceil((depth == 8 ? 3 : 5) * sigma); }

const std::vector<image_filter>& image_filters() {
  using kind = filter_parameter::kind;
  static const std::vector<image_filter> all{
      {"gaussian",
       "Gaussian blur, truncated at three sigmas (five for 16-bit pictures)",
       {{"sigma", kind::number, "1", 0.1, 200, "standard deviation in pixels"}},
       by<gaussian>},
      {"recursive-gaussian",
       "Approximate Gaussian blur (error up to 0.002 of white) whose time does not depend on sigma",
       {{"sigma", kind::number, "10", 0.5, 1000, "standard deviation in pixels"}},
       by<recursive>,
       0},
      {"blur",
       "Blur by a disc, as an unfocused lens does",
       {{"radius", kind::number, "2", 0.5, 200, "radius of the disc in pixels"}},
       by<blur>},
      {"box",
       "Mean of a square",
       {{"size", kind::odd, "3", 1, 999, "side of the square in pixels, an odd number"}},
       by<box>},
      {"sharpen",
       "Sharpen using the four adjacent pixels",
       {{"amount", kind::number, "1", 0, 100, "strength"}},
       by<sharpen>},
      {"unsharp",
       "Unsharp masking: sharpen using a Gaussian blur",
       {{"sigma", kind::number, "1.5", 0.1, 200, "standard deviation of the blur in pixels"},
        {"amount", kind::number, "1", 0, 100, "strength"},
        {"threshold", kind::number, "0", 0, 1, "smallest difference that is sharpened, as a fraction of white"}},
       by<unsharp>},
      {"sobel", "Gradient magnitude of brightness: 1 at a step from black to white", {}, by<sobel>},
      {"laplacian", "Absolute value of the Laplacian of brightness", {}, by<laplacian>},
      {"emboss",
       "Relief lit from the lower right",
       {{"amount", kind::number, "1", 0, 100, "height of the relief"}},
       by<emboss>},
      {"median",
       "Median of a square",
       {{"radius", kind::whole, "1", 0, 255, "distance from the centre to the sides in pixels, 1 for 3 x 3"}},
       by<median_of>,
       32},
      {"bilateral",
       "Smooth and keep edges (bilateral filter)",
       {{"space", kind::number, "3", 0.1, 100, "standard deviation in pixels"},
        {"range", kind::number, "0.1", 1e-4, 100, "standard deviation in colour, as a fraction of white"}},
       by<bilateral_of>},
      {"canny",
       "Canny edges, one pixel wide",
       {{"sigma", kind::number, "1.4", 0.1, 200, "standard deviation of the Gaussian applied first, in pixels"},
        {"low", kind::number, "0.05", 1e-6, 10,
         "gradient, as of sobel, above which a pixel connected to an edge "
         "belongs to it"},
        {"high", kind::number, "0.15", 1e-6, 10, "gradient above which a pixel begins an edge"}},
       by<canny>},
      {"threshold",
       "White where brightness reaches a level, else black",
       {{"level", kind::number, "0.5", 0, 1, "level, as a fraction of white"}},
       by<threshold>},
      {"equalize", "Histogram equalization of brightness", {}, by<equalize>},
      {"resize",
       "Resize",
       {{"size", kind::size, "", 0, 0, "new size: 640x480, 640x or x480 to keep the aspect ratio, or 50%"},
        {"kernel", kind::word, "lanczos", 0, 0, "resampling kernel: nearest, area, linear, cubic or lanczos"}},
       by<resize_to>},
      {"convolve",
       "Convolve with a given mask",
       {{"mask", kind::mask, "", 0, 0, "mask: a .npy file, or rows of numbers: '0 -1 0 / -1 5 -1 / 0 -1 0'"},
        {"scale", kind::number, "1", -1e6, 1e6, "factor of the mask's numbers"},
        {"offset", kind::number, "0", -1e6, 1e6, "constant added to the result, as a fraction of white"}},
       by<convolve_with>}};
  return all;
}

std::string image_step::name() const {
  std::string s(filter->name);
  for (std::size_t i = 0; i < texts.size(); ++i) s += (i ? "," : ":") + texts[i];
  return s;
}

image_step step_of(const image_filter& f, std::vector<std::string> given) {
  using kind = filter_parameter::kind;
  image_step step{&f, {}, {}};
  given.resize(f.parameters.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const filter_parameter& p = f.parameters[i];
    const std::string text = given[i].empty() ? std::string(p.usual) : given[i];
    if (text.empty())
      throw error(fault::bad_argument, std::string(f.name), fmt::format("its {} is missing", p.name),
                  fmt::format("{} is the {}", p.name, p.help));
    const bool number = p.type == kind::number || p.type == kind::whole || p.type == kind::odd;
    step.numbers.push_back(number ? number_of(f, p, text) : 0);
    if (p.type == kind::size && !resized(text, {1000, 1000}))
      throw error(fault::bad_argument, fmt::format("{} of {}", p.name, f.name), fmt::format("'{}' is not a size", text),
                  fmt::format("{} is the {}", p.name, p.help));
    if (p.type == kind::word) resampling_named(text);
    step.texts.push_back(text);
  }
  return step;
}
