// The filters of `upsweep image`, by name and with their parameters, alone and in pipelines: 'gaussian:2 | sobel |
// threshold:0.2'.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cli/image/picture.hpp"
#include "upsweep/context.hpp"

// A mask from the command line: a .npy file of one to three axes, or numbers with rows separated by /: "1 2 1 / 2 4 2 /
// 1 2 1".
struct mask_values {
  upsweep::extent size;
  std::vector<double> values;         // x fastest
  bool integers = true;               // all of them whole numbers of 64 bits, whatever their type
  std::vector<float> singles{};       // the values, rounded once
  std::vector<std::int64_t> whole{};  // where they are integers
};

// `option` is for error messages.
mask_values mask_of_text(const std::string& option, const std::string& text);

struct filter_parameter {
  enum class kind : std::uint8_t { number, whole, odd, size, word, mask };
  std::string_view name;
  kind type = kind::number;
  std::string_view usual;  // the default; empty: required
  double least = 0, most = 0;
  std::string_view help;
};

struct image_place;
struct image_step;

struct image_filter {
  std::string_view name, help;
  std::vector<filter_parameter> parameters;
  picture (*apply)(const image_place&, const image_step&, const picture&);
  // The largest first parameter supported by other devices than the CPU; 0: no limit.
  double most_on_devices = std::numeric_limits<double>::infinity();
};

const std::vector<image_filter>& image_filters();

struct image_step {
  const image_filter* filter = nullptr;
  std::vector<std::string> texts;  // of each parameter
  std::vector<double> numbers;     // of those that are numbers
  std::string name() const;        // "gaussian:2"
};

// `given`: the text of each parameter, empty for the default. Throws an error that names the parameter.
image_step step_of(const image_filter&, std::vector<std::string> given);
// Throws an error with the position in the text.
std::vector<image_step> steps_of_pipeline(const std::string& text);

// Radius of a Gaussian mask in pixels. The weight beyond three sigmas is at most 0.005 in both directions together, and
// beyond five at most a millionth, less than one of 65535.
double gaussian_reach(double sigma, std::uint32_t depth);

// The channels that the filter uses: only the brightness of a picture without alpha if that is enough, else the
// picture.
picture seen_by(const image_filter&, picture);

// The filter equalize in its two passes, each over the whole picture or in parts.
class equalizer {
 public:
  explicit equalizer(std::uint32_t depth);
  void count(const upsweep::context&, const picture&);
  void close(const upsweep::context&);  // all has been counted
  picture equalized(const picture&) const;

 private:
  std::uint16_t level(float brightness) const;
  static picture opaque_brightness(const picture&);

  float most_;
  std::vector<std::uint64_t> sums_;
  std::uint64_t darkest_ = 0;  // how many pixels are the darkest
};

struct image_place {
  upsweep::context where;
  upsweep::border edge = upsweep::border::mirror;
  std::uint64_t memory = 0;                       // memory limit of a resized picture
  std::vector<std::string>* explained = nullptr;  // which algorithm each convolution takes, and why
};

// The picture after the step, with samples in [0, 1]. Filters that average or move pixels work on colours multiplied by
// alpha, so that colours of transparent pixels do not leak. Filters that find edges see the picture on black and keep
// its alpha.
inline picture after_step(const image_place& place, const image_step& step, const picture& p) {
  return step.filter->apply(place, step, p);
}
