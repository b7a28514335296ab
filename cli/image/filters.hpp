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

// A mask from the command line: a .npy file of one to three axes, or its numbers: "1 2 1 / 2 4 2 / 1 2 1", rows parted
// by /.
struct mask_values {
  upsweep::extent size;
  std::vector<double> values;         // x fastest
  bool integers = true;               // all of them whole numbers of 64 bits, whatever their type
  std::vector<float> singles{};       // the values, rounded once
  std::vector<std::int64_t> whole{};  // where they are integers
};

// `option` is for the error's sentence.
mask_values mask_of_text(const std::string& option, const std::string& text);

struct filter_parameter {
  enum class kind : std::uint8_t { number, whole, odd, size, word, mask };
  std::string_view name;
  kind type = kind::number;
  std::string_view usual;  // where it is not given; empty: it must be
  double least = 0, most = 0;
  std::string_view help;
};

struct image_place;
struct image_step;

struct image_filter {
  std::string_view name, help;
  std::vector<filter_parameter> parameters;
  picture (*apply)(const image_place&, const image_step&, const picture&);
  // The largest first parameter that other devices than the CPU take; 0: none.
  double most_on_devices = std::numeric_limits<double>::infinity();
};

const std::vector<image_filter>& image_filters();

struct image_step {
  const image_filter* filter = nullptr;
  std::vector<std::string> texts;  // of each parameter
  std::vector<double> numbers;     // of those that are numbers
  std::string name() const;        // "gaussian:2"
};

// `given`: a text for each parameter, empty where it is not given. Throws a sentence that names the parameter.
image_step step_of(const image_filter&, std::vector<std::string> given);
// Throws a sentence with the character where it went wrong.
std::vector<image_step> steps_of_pipeline(const std::string& text);

// How far a Gaussian's mask reaches, in pixels. What lies beyond three sigmas weighs 0.005 at most, in both directions
// together, beyond five a millionth: less than one of 65535.
double gaussian_reach(double sigma, std::uint32_t depth);

// All that the filter looks at: of a picture without alpha its brightness alone, where that is all. Or the picture.
picture seen_by(const image_filter&, picture);

// The filter equalize in its two passes, each over the whole or part by part.
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
  std::uint64_t memory = 0;                       // what a resized picture may take
  std::vector<std::string>* explained = nullptr;  // which algorithm each convolution takes, and why
};

// The picture after the step, its samples in [0, 1] again. What averages or moves pixels works on colours multiplied by
// alpha, so that the colour of what cannot be seen does not leak; what finds edges sees the picture on black and keeps
// its alpha.
inline picture after_step(const image_place& place, const image_step& step, const picture& p) {
  return step.filter->apply(place, step, p);
}
