#include "cli/nbody/paint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/convolve.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/filters.hpp"

using namespace upsweep;
using nbody::look;

namespace {

constexpr std::size_t colours = 3;  // warm, cool, bulge
constexpr double designed_height = 720;
constexpr std::uint32_t shrunk = 4;  // the wide glow is made in a picture of a quarter the size

std::size_t colour_of(look l, std::size_t i) {
  switch (l) {
    case look::cool: return 1;
    case look::bulge: return 2;
    case look::planet: return i % colours;
    default: return 0;
  }
}

struct rgb {
  float r, g, b;
};
struct stop {
  float at;
  rgb colour;
};
constexpr std::array<std::array<stop, 7>, colours> ramps{{
    {{{0, {0, 0, 0}},
      {0.12f, {0.07f, 0.02f, 0.10f}},
      {0.30f, {0.36f, 0.07f, 0.17f}},
      {0.50f, {0.80f, 0.27f, 0.13f}},
      {0.70f, {1.00f, 0.62f, 0.26f}},
      {0.86f, {1.00f, 0.88f, 0.62f}},
      {1, {1, 1, 0.97f}}}},
    {{{0, {0, 0, 0}},
      {0.12f, {0.02f, 0.03f, 0.13f}},
      {0.30f, {0.05f, 0.13f, 0.42f}},
      {0.50f, {0.10f, 0.36f, 0.78f}},
      {0.70f, {0.36f, 0.68f, 0.98f}},
      {0.86f, {0.74f, 0.91f, 1.00f}},
      {1, {1, 1, 1}}}},
    {{{0, {0, 0, 0}},
      {0.12f, {0.06f, 0.04f, 0.03f}},
      {0.30f, {0.28f, 0.18f, 0.10f}},
      {0.50f, {0.66f, 0.46f, 0.26f}},
      {0.70f, {0.96f, 0.78f, 0.52f}},
      {0.86f, {1.00f, 0.93f, 0.78f}},
      {1, {1, 1, 0.98f}}}},
}};

rgb ramped(std::size_t colour, float v) {
  const auto& ramp = ramps[colour];
  std::size_t k = 1;
  while (k + 1 < ramp.size() && v > ramp[k].at) ++k;
  const stop &a = ramp[k - 1], &b = ramp[k];
  const float t = std::clamp((v - a.at) / (b.at - a.at), 0.0f, 1.0f);
  const auto mix = [t](float from, float to) { return from + t * (to - from); };
  return {mix(a.colour.r, b.colour.r), mix(a.colour.g, b.colour.g), mix(a.colour.b, b.colour.b)};
}

mask<float> gaussian(double sigma) {
  const auto reach = static_cast<std::int64_t>(std::ceil(3 * sigma));
  const auto side = static_cast<std::uint64_t>(2 * reach + 1);
  std::vector<double> row;
  double sum = 0;
  for (std::int64_t i = -reach; i <= reach; ++i) {
    row.push_back(std::exp(-static_cast<double>(i * i) / (2 * sigma * sigma)));
    sum += row.back();
  }
  std::vector<float> values;
  for (const double a : row)
    for (const double b : row) values.push_back(static_cast<float>(a * b / (sum * sum)));
  return {{side, side}, std::span<const float>(values)};
}

}  // namespace

nbody_painter::nbody_painter(const nbody_camera& camera, std::vector<look> looks)
    : camera_(camera), looks_(std::move(looks)) {
  const std::size_t pixels = std::size_t{camera.width} * camera.height;
  const std::size_t small = std::size_t{(camera.width + shrunk - 1) / shrunk} * ((camera.height + shrunk - 1) / shrunk);
  for (auto* plane : {&light_, &blurred_, &trail_}) plane->assign(colours * pixels, 0);
  for (auto* plane : {&small_, &small_blurred_}) plane->assign(colours * small, 0);
  pixels_.resize(3 * pixels);
  last_.assign(looks_.size(), {});
  lit_ = static_cast<std::size_t>(
      std::ranges::count_if(looks_, [](look l) { return l != look::dark && l != look::planet; }));
}

// Rows: right, up, and towards the eye.
void nbody_painter::look_from(double yaw) {
  constexpr double degree = std::numbers::pi / 180;
  const double cy = std::cos(yaw * degree), sy = std::sin(yaw * degree);
  const double cp = std::cos(camera_.pitch * degree), sp = std::sin(camera_.pitch * degree);
  const double rows[3][3]{{cy, sy, 0}, {-sy * sp, cy * sp, cp}, {sy * cp, -cy * cp, sp}};
  for (int r = 0; r < 3; ++r) std::copy(rows[r], rows[r] + 3, axes_[r]);
}

nbody_painter::place nbody_painter::seen(const nbody_shot& s, std::size_t i) const {
  const double p[3]{s.at(3 * i), s.at(3 * i + 1), s.at(3 * i + 2)};
  double q[3];
  for (int r = 0; r < 3; ++r) q[r] = (axes_[r][0] * p[0] + axes_[r][1] * p[1] + axes_[r][2] * p[2]) / camera_.reach;
  constexpr double eye = 4;  // reaches from the middle
  const double depth = eye - q[2];
  if (!(depth > 0.1)) return {0, 0, 0};
  const double scale = 0.5 * camera_.height * eye / depth;
  return {0.5 * camera_.width + scale * q[0], 0.5 * camera_.height - scale * q[1],
          std::min(4.0, eye * eye / (depth * depth))};
}

// A body's light goes to the four pixels around its place.
void nbody_painter::splat(std::vector<float>& plane, double x, double y, std::size_t colour, double light) const {
  const double left = std::floor(x - 0.5), top = std::floor(y - 0.5);
  if (!(left >= 0 && top >= 0 && left + 1 < camera_.width && top + 1 < camera_.height)) return;
  const double fx = x - 0.5 - left, fy = y - 0.5 - top;
  const std::size_t at =
      (static_cast<std::size_t>(top) * camera_.width + static_cast<std::size_t>(left)) * colours + colour;
  const std::size_t row = std::size_t{camera_.width} * colours;
  plane[at] += static_cast<float>(light * (1 - fx) * (1 - fy));
  plane[at + colours] += static_cast<float>(light * fx * (1 - fy));
  plane[at + row] += static_cast<float>(light * (1 - fx) * fy);
  plane[at + row + colours] += static_cast<float>(light * fx * fy);
}

// Trails fade a little with each picture; a planet's line goes on from where it was.
void nbody_painter::trace(const nbody_shot& s) {
  bool any = false;
  const double scale = camera_.height / designed_height;
  for (std::size_t i = 0; i < looks_.size(); ++i) {
    if (looks_[i] != look::planet) continue;
    if (!std::exchange(any, true))
      for (float& t : trail_) t *= 0.985f;
    const place now = seen(s, i), before = last_[i].light > 0 ? last_[i] : now;
    last_[i] = now;
    if (!(now.light > 0)) continue;
    const double far = std::hypot(now.x - before.x, now.y - before.y);
    const int dots = static_cast<int>(std::clamp(2 * far, 1.0, 4000.0));
    for (int d = 0; d < dots; ++d) {
      const double t = (d + 1.0) / dots;
      splat(trail_, before.x + t * (now.x - before.x), before.y + t * (now.y - before.y), colour_of(look::planet, i),
            60 * scale * std::min(1.0, far + 0.2));
    }
    const double radius = 5 * scale;
    for (double y = -radius; y <= radius; ++y)
      for (double x = -radius; x <= radius; ++x)
        if (x * x + y * y <= radius * radius) splat(light_, now.x + x, now.y + y, colour_of(look::planet, i), 3000);
  }
  if (any)
    for (std::size_t k = 0; k < light_.size(); ++k) light_[k] += trail_[k];
}

const std::vector<std::uint8_t>& nbody_painter::paint(const nbody_shot& s, double share) {
  look_from(camera_.yaw + share * camera_.turn);
  std::ranges::fill(light_, 0.0f);
  // All bodies together give each pixel a light of 1 on average, however many there are.
  const double each =
      static_cast<double>(camera_.width) * camera_.height / static_cast<double>(std::max<std::size_t>(lit_, 200));
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (looks_[i] == look::dark || looks_[i] == look::planet) continue;
    const place p = seen(s, i);
    if (p.light > 0)
      splat(light_, p.x, p.y, colour_of(looks_[i], i), each * p.light * (looks_[i] == look::pebble ? 0.3 : 1));
  }
  trace(s);
  glow();
  develop();
  return pixels_;
}

// light_ becomes spots of about a pixel, with a near and a wide glow around them.
void nbody_painter::glow() {
  const double scale = camera_.height / designed_height;
  const image_layout whole{{camera_.width, camera_.height}, colours};
  const extent small_size{(camera_.width + shrunk - 1) / shrunk, (camera_.height + shrunk - 1) / shrunk};
  const image_layout small{small_size, colours};
  convolve(cpu_, std::span<const float>(light_), whole, gaussian(std::max(0.5, 0.85 * scale)), std::span(blurred_));
  resize(cpu_, std::span<const float>(light_), whole, std::span(small_), small_size, resampling::area);
  convolve(cpu_, std::span<const float>(small_), small, gaussian(std::max(0.5, 1.6 * scale)),
           std::span(small_blurred_));
  std::vector<float> wide(small_.size());
  convolve(cpu_, std::span<const float>(small_), small, gaussian(std::max(1.0, 7 * scale)), std::span(wide));
  for (std::size_t k = 0; k < wide.size(); ++k) wide[k] = 0.45f * small_blurred_[k] + 0.45f * wide[k];
  resize(cpu_, std::span<const float>(wide), small, std::span(light_), whole.size, resampling::linear);
  for (std::size_t k = 0; k < light_.size(); ++k) light_[k] = 0.75f * blurred_[k] + std::max(light_[k], 0.0f);
}

void nbody_painter::develop() {
  constexpr float faint = 0.7f,
                  bright = 1100;  // of the average light: where the scale begins to rise, and where it ends
  const float whole = 1 / std::log1p(bright / faint);
  const std::uint64_t pixels = std::uint64_t{camera_.width} * camera_.height;
  cpu::for_each_piece(pixels, 16384, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t p = first; p < last; ++p) {
      rgb left{1, 1, 1};  // background of pixels without light
      for (std::size_t c = 0; c < colours; ++c) {
        const rgb lit = ramped(c, std::log1p(light_[p * colours + c] / faint) * whole);
        left.r *= 1 - lit.r, left.g *= 1 - lit.g, left.b *= 1 - lit.b;
      }
      // Half a grey level of noise, the same in every picture, keeps slow gradients from showing steps.
      const float noise = static_cast<float>(unit(mixed(p)));
      const auto level = [&](float unlit) {
        return static_cast<std::uint8_t>(std::clamp(255 * (1 - unlit) + noise, 0.0f, 255.0f));
      };
      pixels_[3 * p] = level(left.r), pixels_[3 * p + 1] = level(left.g), pixels_[3 * p + 2] = level(left.b);
    }
  });
}
