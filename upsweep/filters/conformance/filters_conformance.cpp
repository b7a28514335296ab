// The conformance tests of the filters, whose references are simple loops. Medians, linked edges and the nearest pixel
// are compared exactly; means within the rounding errors of their sums and the errors that filters.hpp states. The
// squares, the sum and the root of a gradient's length may be rounded; if that decides which of two lengths is larger,
// both results are accepted. For large pictures with large windows, the reference computes only some of the pixels.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/sequential_folds.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/filters/filters_problem.hpp"

namespace upsweep::detail::filters_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

constexpr double most_looks = 0x1p23;  // of the judge, at one problem

// ---- forms

problem form(primitive what, std::uint32_t channels, border edge) {
  problem p;
  p.what = what, p.channels = channels, p.edge = edge;
  p.size = p.to = {0, 0, 0};  // still to be set
  return p;
}

constexpr border edges[]{border::zero, border::clamp, border::reflect, border::mirror, border::wrap};

std::vector<problem> median_forms(bool sample) {
  std::vector<problem> all;
  std::uint32_t turn = 0;
  for (const std::uint32_t radius : {0u, 1u, 2u, 3u, 4u, 9u, 32u, 60u})
    for (const border edge : edges) {
      ++turn;
      if (sample && edge != edges[radius % 5]) continue;
      all.push_back(form(primitive::median, 1 + turn % 4, edge));
      all.back().radius = radius;
    }
  return all;
}

std::vector<problem> bilateral_forms(bool sample) {
  std::vector<problem> all;
  std::uint32_t turn = 0;
  for (const float space : {0.3f, 1.3f, 3.0f, 5.0f})
    for (const border edge : edges) {
      ++turn;
      if (sample && edge != edges[turn / 5 % 5]) continue;
      all.push_back(form(primitive::bilateral, 1 + turn % 4, edge));
      all.back().space = space, all.back().range = turn % 3 ? 0.15f * space : 10.0f;
    }
  return all;
}

std::vector<problem> gaussian_forms(bool sample) {
  std::vector<problem> all;
  std::uint32_t turn = 0;
  for (const float sigma : {0.5f, 1.0f, 1.7f, 5.0f, 20.0f})
    for (const border edge : edges) {
      ++turn;
      if (sample && edge != edges[turn / 5 % 5]) continue;
      all.push_back(form(primitive::recursive_gaussian, 1 + turn % 4, edge));
      all.back().space = sigma;
    }
  return all;
}

std::vector<problem> thin_forms(bool) { return {form(primitive::non_maximum_suppression, 1, border::zero)}; }

std::vector<problem> linked_forms(bool) {
  std::vector<problem> all;
  for (const auto& [low, high] : {std::pair(0.55f, 0.97f), std::pair(0.45f, 0.999f), std::pair(0.5f, 0.5f)}) {
    all.push_back(form(primitive::hysteresis_threshold, 1, border::zero));
    all.back().low = low, all.back().high = high;
  }
  return all;
}

std::vector<problem> resize_forms(bool) {
  std::vector<problem> all;
  for (const resampling how : all_resamplings)
    for (const std::uint32_t channels : {1u, 3u, 4u}) {
      all.push_back(form(primitive::resize, channels, border::zero));
      all.back().how = how;
    }
  return all;
}

// From n, the number of elements wanted, to a picture of about as many, of a pixel at least: square, flat, tall, a row,
// a column, its rows with gaps. A result of another size has about half of each side; a check's are of any.
void complete(problem& p, std::uint64_t, std::uint64_t turn) {
  if (p.size.x != 0) return;
  const bool plain = turn == 1;  // as a bench wants it
  const std::uint64_t pixels = std::max<std::uint64_t>((p.n + p.channels - 1) / p.channels, 1);
  constexpr double shares[]{1, 0.1, 7, 1, 0.4};
  const double side = std::sqrt(static_cast<double>(pixels)) * (plain ? 1 : shares[turn % 5]);
  std::uint64_t height = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(side), 1, pixels);
  // What grows with a side, as a recursion's lines do, is not asked for of the longest rows and columns.
  if (!plain && pixels < 5000 && turn % 9 == 4) height = 1;
  if (!plain && pixels < 5000 && turn % 9 == 7) height = pixels;
  p.size = {std::max<std::uint64_t>(pixels / height, 1), height, 1};
  p.n = p.size.count() * p.channels;
  p.to = p.size;
  if (p.what == primitive::resize) {
    const auto other = [&](std::uint64_t from, std::uint64_t by) {
      constexpr double factors[]{0.5, 1, 1.7, 0.13, 3, 2};
      const double wanted = static_cast<double>(from) * (plain ? 0.5 : factors[by % 6]);
      return std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1);
    };
    p.to = {other(p.size.x, turn), other(p.size.y, turn / 2 + turn % 3), 1};
  }
  if (plain || p.what == primitive::non_maximum_suppression || p.what == primitive::hysteresis_threshold) return;
  if (turn % 4 == 3) p.pitch = p.size.x * p.channels + turn % 7;
  if (turn % 6 == 5) p.out_pitch = p.to.x * p.channels + turn % 5;
}

// ---- operands

std::uint64_t span_of(extent size, std::uint32_t channels, std::uint64_t pitch) {
  return (size.y - 1) * pitch + size.x * channels;
}

// uniform: over (0, 1), a few values many times; of what says what becomes of a NaN some have one. sorted and reversed:
// ramps. few: four values, of both signs. zipf: zero but for single pixels. constant: one number.
float element(const problem& p, std::uint64_t i, std::uint64_t seed, input_kind kind, std::uint64_t all) {
  const std::uint64_t bits = mixed(seed * 5 + i);
  const bool gradient = p.what == primitive::non_maximum_suppression;
  switch (kind) {
    case input_kind::sorted: return static_cast<float>(i) / static_cast<float>(all);
    case input_kind::reversed: return 1 - static_cast<float>(i) / static_cast<float>(all);
    case input_kind::few: return static_cast<float>(bits >> 8 & 3) / 2 - (gradient ? 0.5f : 0);
    case input_kind::zipf: return bits % 97 == 0 ? 1.0f : 0.0f;
    case input_kind::constant: return 0.75f;
    default: break;
  }
  if (mixed(seed ^ p.n) % 4 == 0 && i == mixed(seed + p.n) % all && p.what != primitive::recursive_gaussian)
    return std::numeric_limits<float>::quiet_NaN();
  const float x = bits % 3 == 0 ? static_cast<float>(bits >> 8 & 3) / 4 : static_cast<float>(unit(bits));
  return gradient ? 2 * x - 1 : x;
}

std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const std::uint64_t in_size = span_of(p.size, p.channels, in_pitch(p));
  const auto picture = [&](memory problem::* slot, std::uint64_t own_seed) {
    return array{slot, in_size, 4,
                 [=](void* to, std::uint64_t first, std::uint64_t count) {
                   const std::uint64_t pitch = in_pitch(p), row = p.size.x * p.channels;
                   for (std::uint64_t i = first; i < first + count; ++i)
                     static_cast<float*>(to)[i - first] = i % pitch < row ? element(p, i, own_seed, kind, in_size)
                                                                          : std::numeric_limits<float>::quiet_NaN();
                 },
                 false};
  };
  std::vector<array> all{picture(&problem::in, seed)};
  if (p.what == primitive::non_maximum_suppression) all.push_back(picture(&problem::in2, seed + 77));
  all.push_back({&problem::out, span_of(out_size(p), p.channels, out_pitch(p)), 4, {}, true});
  return all;
}

// ---- the judge

std::string gap_written(const problem& p) {
  const extent out = out_size(p);
  const auto* bytes = p.out.as<const unsigned char>();
  for (std::uint64_t y = 0; y + 1 < out.y; ++y)
    for (std::uint64_t b = (y * out_pitch(p) + out.x * p.channels) * 4; b < (y + 1) * out_pitch(p) * 4; ++b)
      if (bytes[b] != poison) return "the gap after row " + std::to_string(y) + " was written";
  return {};
}

struct place {
  std::int64_t x, y;
  std::uint32_t c;
};

// Holds elements of the result against look(place, got), which says what is wrong, or nothing; so many of them that it
// makes no more than most_looks of `looks` each.
template <class Look>
std::string wrong_places(const problem& p, double looks, const Look& look) {
  if (std::string gap = gap_written(p); !gap.empty()) return gap;
  const extent out = out_size(p);
  const std::uint64_t elements = out.count() * p.channels,
                      every = static_cast<std::uint64_t>(
                          std::max(1.0, std::ceil(static_cast<double>(elements) * looks / most_looks)));
  std::mutex guard;
  std::uint64_t first_wrong = elements;
  std::string what;
  cpu::for_each_piece(elements / every + (elements % every != 0), 64, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t k = first; k < last; ++k) {
      const std::uint64_t i = std::min(elements - 1, k * every + (every > 1 ? mixed(k) % every : 0));
      const std::uint64_t pixel = i / p.channels, x = pixel % out.x, y = pixel / out.x;
      const place at{static_cast<std::int64_t>(x), static_cast<std::int64_t>(y),
                     static_cast<std::uint32_t>(i % p.channels)};
      std::string bad = look(at, p.out.as<const float>()[y * out_pitch(p) + x * p.channels + at.c]);
      if (bad.empty()) continue;
      const std::scoped_lock lock(guard);
      if (i >= first_wrong) return;
      first_wrong = i;
      what = "(" + std::to_string(x) + ", " + std::to_string(y) + ")" +
             (p.channels > 1 ? " channel " + std::to_string(at.c) : std::string()) + ": " + bad;
    }
  });
  return what;
}

double element_at(const problem& p, std::int64_t x, std::int64_t y, std::uint32_t c) {
  const std::int64_t at_x = border_index(p.edge, x, static_cast<std::int64_t>(p.size.x)),
                     at_y = border_index(p.edge, y, static_cast<std::int64_t>(p.size.y));
  if (at_x < 0 || at_y < 0) return 0;
  return p.in.as<const float>()[static_cast<std::uint64_t>(at_y) * in_pitch(p) +
                                static_cast<std::uint64_t>(at_x) * p.channels + c];
}

// A number that is near enough; anything where the window had a NaN.
std::string off(double got, double want, double allowed) {
  if (std::isnan(want)) return {};
  const double error = std::abs(got - want);
  if (error <= allowed) return {};
  return number(got) + " is not " + number(want) + ", off by " + number(error) + " where " + number(allowed) +
         " is allowed";
}

std::string wrong_median(const problem& p, double) {
  const auto reach = static_cast<std::int64_t>(p.radius);
  const double side = 2.0 * static_cast<double>(reach) + 1;
  return wrong_places(p, 4 * side * side, [&](const place& at, float got) -> std::string {
    std::vector<double> window;
    for (std::int64_t j = -reach; j <= reach; ++j)
      for (std::int64_t i = -reach; i <= reach; ++i) window.push_back(element_at(p, at.x + i, at.y + j, at.c));
    const auto middle = window.begin() + static_cast<std::ptrdiff_t>(window.size() / 2);
    std::ranges::nth_element(window, middle, [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
    if (std::isnan(*middle) ? std::isnan(got) : got == *middle) return {};
    return number(got) + " is not " + number(*middle);
  });
}

std::string wrong_bilateral(const problem& p, double) {
  const std::int64_t reach = disc_of(p);
  return wrong_places(
      p, 3.2 * static_cast<double>(reach * reach) * p.channels, [&](const place& at, float got) -> std::string {
        double sum = 0, weights = 0, most = 0, pixels = 0;
        for (std::int64_t j = -reach; j <= reach; ++j)
          for (std::int64_t i = -reach; i <= reach; ++i) {
            if (i * i + j * j > reach * reach) continue;
            double distance = 0;
            for (std::uint32_t c = 0; c < p.channels; ++c) {
              const double by = element_at(p, at.x + i, at.y + j, c) - element_at(p, at.x, at.y, c);
              distance += by * by;
            }
            const double there = element_at(p, at.x + i, at.y + j, at.c),
                         weight = std::exp(-static_cast<double>(i * i + j * j) / (2.0 * p.space * p.space) -
                                           distance / (2.0 * p.range * p.range));
            sum += weight * there, weights += weight, ++pixels;
            most = std::max(most, std::abs(there));
          }
        // Each weight is off by 4e-6 of itself or, beyond exp(-17), left out; sums of all pixels.
        const double allowed = most * (8e-6 + 2 * pixels * 4.2e-8 / weights + (pixels + 8) * 0x1p-23);
        return off(got, sum / weights, allowed);
      });
}

std::string wrong_gaussian(const problem& p, double) {
  const auto reach = static_cast<std::int64_t>(std::ceil(7 * p.space));
  const auto width = static_cast<std::int64_t>(p.size.x), height = static_cast<std::int64_t>(p.size.y);
  std::vector<double> weights;
  double all = 0, most = 0;
  for (std::int64_t i = -reach; i <= reach; ++i)
    weights.push_back(std::exp(-static_cast<double>(i * i) / (2.0 * p.space * p.space))), all += weights.back();
  const auto along = [&](const auto& element) {
    double sum = 0;
    for (std::int64_t i = -reach; i <= reach; ++i) sum += weights[static_cast<std::size_t>(i + reach)] * element(i);
    return sum / all;
  };
  std::vector<double> rows(p.n);
  cpu::for_each_piece(p.size.y, 1, [&](std::uint64_t first, std::uint64_t) {
    const auto y = static_cast<std::int64_t>(first);
    for (std::int64_t x = 0; x < width; ++x)
      for (std::uint32_t c = 0; c < p.channels; ++c)
        rows[(first * p.size.x + static_cast<std::uint64_t>(x)) * p.channels + c] =
            along([&](std::int64_t i) { return element_at(p, x + i, y, c); });
  });
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      for (std::uint32_t c = 0; c < p.channels; ++c) most = std::max(most, std::abs(element_at(p, x, y, c)));
  const double allowed = (p.space < 1 ? 0.02 : recursive_gaussian_error) * most;
  return wrong_places(p, 2 * static_cast<double>(reach), [&](const place& at, float got) {
    return off(
        got, along([&](std::int64_t i) {
          const std::int64_t y = border_index(p.edge, at.y + i, height);
          return y < 0
                     ? 0.0
                     : rows[(static_cast<std::uint64_t>(y) * p.size.x + static_cast<std::uint64_t>(at.x)) * p.channels +
                            at.c];
        }),
        allowed);
  });
}

std::string wrong_thin(const problem& p, double) {
  const float *across = p.in.as<const float>(), *down = p.in2.as<const float>();
  const auto width = static_cast<std::int64_t>(p.size.x), height = static_cast<std::int64_t>(p.size.y);
  struct square {
    double value;
    bool exact;  // its products and their sum round nothing in f32, so that equal ones are equal everywhere
  };
  const auto square_at = [&](std::int64_t x, std::int64_t y) -> square {
    if (x < 0 || y < 0 || x >= width || y >= height) return {0, true};
    const std::int64_t i = y * width + x;
    const double a = double(across[i]) * across[i], d = double(down[i]) * down[i];
    return {a + d, static_cast<float>(a) == a && static_cast<float>(d) == d && static_cast<float>(a + d) == a + d};
  };
  enum answer { no, yes, either };
  // Whether a is longer than b, or, where `or_equal`, not shorter.
  const auto longer = [](const square& a, const square& b, bool or_equal) {
    if (std::isnan(a.value) || std::isnan(b.value)) return either;
    if (a.value == b.value && a.exact && b.exact) return or_equal ? yes : no;
    if (std::abs(a.value - b.value) <= 2e-6 * std::max(a.value, b.value)) return either;
    return a.value > b.value ? yes : no;
  };
  return wrong_places(p, 8, [&](const place& at, float got) -> std::string {
    const std::int64_t i = at.y * width + at.x;
    const square here = square_at(at.x, at.y);
    if (std::isnan(here.value)) return {};
    const double gx = std::abs(across[i]), gy = std::abs(down[i]), tangent = 0.41421356f;
    const std::int64_t slope = (across[i] < 0) == (down[i] < 0) ? 1 : -1;
    // Where rounding decides between two directions, both are right.
    const double slack = 4e-7 * std::max(gx, gy);
    std::vector<std::pair<std::int64_t, std::int64_t>> directions;
    if (gx <= tangent * gy + slack) directions.emplace_back(0, 1);
    if (gx >= tangent * gy - slack && gy >= tangent * gx - slack) directions.emplace_back(1, slope);
    if (gy <= tangent * gx + slack) directions.emplace_back(1, 0);
    const double length = std::sqrt(here.value);
    bool may_stay = false, may_go = false;
    for (const auto& [dx, dy] : directions) {
      const answer before = longer(here, square_at(at.x - dx, at.y - dy), false),
                   after = longer(here, square_at(at.x + dx, at.y + dy), true);
      may_stay = may_stay || (before != no && after != no);
      may_go = may_go || before != yes || after != yes;
    }
    if (got == 0 && may_go) return {};
    if (may_stay && std::abs(got - length) <= 4 * 0x1p-23 * length) return {};
    return number(got) + " is not " + (may_stay ? number(length) : std::string("0"));
  });
}

// By waves from the strong places, until nothing changes: what is yet to be looked at is a list.
std::string wrong_linked(const problem& p, double) {
  const float* in = p.in.as<const float>();
  const auto width = static_cast<std::int64_t>(p.size.x), height = static_cast<std::int64_t>(p.size.y);
  std::vector<char> on(p.n);
  std::vector<std::int64_t> wave, next;
  for (std::uint64_t i = 0; i < p.n; ++i)
    if (in[i] >= p.high) on[i] = 1, wave.push_back(static_cast<std::int64_t>(i));
  for (; !wave.empty(); wave.swap(next), next.clear())
    for (const std::int64_t i : wave)
      for (std::int64_t k = 0; k < 9; ++k) {
        const std::int64_t x = i % width + k % 3 - 1, y = i / width + k / 3 - 1, there = y * width + x;
        if (x < 0 || y < 0 || x >= width || y >= height || on[static_cast<std::size_t>(there)]) continue;
        if (in[there] >= p.low) on[static_cast<std::size_t>(there)] = 1, next.push_back(there);
      }
  return wrong_places(p, 0, [&](const place& at, float got) -> std::string {
    const float want = on[static_cast<std::size_t>(at.y * width + at.x)];
    return got == want ? std::string() : number(got) + " is not " + number(want);
  });
}

// ---- resize

// What makes a pixel of a line, in the line's own pixels.
struct weighted {
  std::int64_t at;
  double weight;
};

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

double kernel_at(resampling how, double x) {
  const double t = std::abs(x);
  if (how == resampling::linear) return t < 1 ? 1 - t : 0;
  if (how == resampling::lanczos) return t < 3 ? sinc(t) * sinc(t / 3) : 0;
  // Catmull and Rom's, by its two pieces.
  if (t < 1) return (3 * t * t * t - 5 * t * t + 2) / 2;
  return t < 2 ? (-t * t * t + 5 * t * t - 8 * t + 4) / 2 : 0;
}

std::vector<weighted> makers(resampling how, std::int64_t place, std::int64_t from, std::int64_t to) {
  std::vector<weighted> all;
  if (how == resampling::area) {  // overlaps, in units of 1 / to of a pixel
    const std::int64_t low = place * from, high = low + from;
    for (std::int64_t i = low / to; i < from && i * to < high; ++i)
      all.push_back({i, static_cast<double>(std::min((i + 1) * to, high) - std::max(i * to, low))});
  } else {
    const double scale = static_cast<double>(from) / static_cast<double>(to), wide = std::max(scale, 1.0),
                 middle = (static_cast<double>(place) + 0.5) * scale;
    const auto first = static_cast<std::int64_t>(std::floor(middle - 3 * wide)) - 1;
    for (std::int64_t i = std::max<std::int64_t>(first, 0); i < from && static_cast<double>(i) <= middle + 3 * wide + 1;
         ++i)
      if (const double w = kernel_at(how, (static_cast<double>(i) + 0.5 - middle) / wide); w != 0)
        all.push_back({i, w});
  }
  double sum = 0;
  for (const weighted& w : all) sum += w.weight;
  for (weighted& w : all) w.weight /= sum;
  return all;
}

std::string wrong_nearest(const problem& p) {
  const auto width = static_cast<std::int64_t>(p.size.x), height = static_cast<std::int64_t>(p.size.y);
  // The pixels that contain a centre: two if it is on their border.
  const auto of = [](std::int64_t place, std::int64_t from, std::uint64_t to_size) {
    const std::int64_t to = 2 * static_cast<std::int64_t>(to_size), middle = (2 * place + 1) * from, at = middle / to;
    return std::pair(middle % to == 0 && at > 0 ? at - 1 : at, std::min(at, from - 1));
  };
  return wrong_places(p, 1, [&](const place& at, float got) -> std::string {
    const auto [x0, x1] = of(at.x, width, p.to.x);
    const auto [y0, y1] = of(at.y, height, p.to.y);
    double want = 0;
    for (const std::int64_t y : {y0, y1})
      for (const std::int64_t x : {x0, x1})
        if (want = element_at(p, x, y, at.c); std::isnan(want) ? std::isnan(got) : got == want) return {};
    return number(got) + " is not " + number(want);
  });
}

std::string wrong_resize(const problem& p, double) {
  if (p.how == resampling::nearest) return wrong_nearest(p);
  const auto width = static_cast<std::int64_t>(p.size.x), height = static_cast<std::int64_t>(p.size.y);
  const double support =
      49.0 * std::max(1.0, double(p.size.x) / double(p.to.x)) * std::max(1.0, double(p.size.y) / double(p.to.y));
  return wrong_places(p, support, [&](const place& at, float got) {
    const auto columns = makers(p.how, at.x, width, static_cast<std::int64_t>(p.to.x)),
               rows = makers(p.how, at.y, height, static_cast<std::int64_t>(p.to.y));
    double sum = 0, size = 0;
    for (const weighted& y : rows)
      for (const weighted& x : columns) {
        const double product = y.weight * x.weight * element_at(p, x.at, y.at, at.c);
        sum += product, size += std::abs(product);
      }
    // A weight of nothing by a NaN is one, too, and which have none at all is a matter of rounding.
    for (const auto* line : {&columns, &rows})
      if (line->empty()) return std::string("the reference found no pixels");
    for (std::int64_t y = rows.front().at - 2; y <= rows.back().at + 2; ++y)
      for (std::int64_t x = columns.front().at - 2; x <= columns.back().at + 2; ++x)
        if (x >= 0 && y >= 0 && x < width && y < height && std::isnan(element_at(p, x, y, at.c))) return std::string();
    // Weights round to f32, and are off by a rounding in f64 of places that may be far from the first.
    const double taps = static_cast<double>(rows.size() + columns.size());
    return off(got, sum, size * (taps + 8) * 0x1p-24 + 1e-12);
  });
}

// ---- words, and the bench

std::string words(const problem& p) {
  std::string s(name_of(p.what));
  switch (p.what) {
    case primitive::median: s += " of radius " + std::to_string(p.radius); break;
    case primitive::bilateral: s += ", sigma " + number(p.space) + " and " + number(p.range); break;
    case primitive::recursive_gaussian: s += ", sigma " + number(p.space); break;
    case primitive::hysteresis_threshold: s += ", " + number(p.low) + " to " + number(p.high); break;
    case primitive::resize: s += ", " + std::string(name_of(p.how)); break;
    default: break;
  }
  if (p.what <= primitive::recursive_gaussian) s += ", border " + std::string(name_of(p.edge));
  if (p.channels > 1) s += ", " + std::to_string(p.channels) + " channels";
  const auto text = [](extent e) { return std::to_string(e.x) + "x" + std::to_string(e.y); };
  if (p.size.x) {
    s += ", " + text(p.size);
    if (p.what == primitive::resize) s += " to " + text(p.to);
    if (p.pitch || p.out_pitch) s += ", rows with gaps";
  }
  return s;
}

bool is_timed(dtype type, bool inclusive) { return !inclusive && type == dtype::f32; }

std::vector<problem> timed_medians(dtype type, op_kind, bool inclusive) {
  std::vector<problem> all;
  if (!is_timed(type, inclusive)) return all;
  for (const std::uint32_t radius : {1u, 2u, 3u, 4u, 10u, 32u}) {
    all.push_back(form(primitive::median, 1, border::mirror));
    all.back().radius = radius;
  }
  return all;
}

std::vector<problem> timed_bilaterals(dtype type, op_kind, bool inclusive) {
  std::vector<problem> all;
  if (!is_timed(type, inclusive)) return all;
  for (const float sigma : {3.0f, 8.0f}) {
    all.push_back(form(primitive::bilateral, 1, border::mirror));
    all.back().space = sigma, all.back().range = 0.1f;
  }
  return all;
}

std::vector<problem> timed_gaussians(dtype type, op_kind, bool inclusive) {
  if (!is_timed(type, inclusive)) return {};
  problem p = form(primitive::recursive_gaussian, 1, border::mirror);
  p.space = 12;
  return {p};
}

std::vector<problem> timed_thin(dtype type, op_kind, bool inclusive) {
  return is_timed(type, inclusive) ? thin_forms(false) : std::vector<problem>{};
}

std::vector<problem> timed_linked(dtype type, op_kind, bool inclusive) {
  return is_timed(type, inclusive) ? linked_forms(false) : std::vector<problem>{};
}

std::vector<problem> timed_resizes(dtype type, op_kind, bool inclusive) {
  std::vector<problem> all;
  if (!is_timed(type, inclusive)) return all;
  for (const resampling how : {resampling::area, resampling::linear, resampling::lanczos}) {
    all.push_back(form(primitive::resize, 1, border::zero));
    all.back().how = how;
  }
  return all;
}

// Those of a bench, which stay small where the work of the judge grows with the window.
template <std::vector<problem> (*timed)(dtype, op_kind, bool)>
std::vector<problem> huge() {
  std::vector<problem> all = timed(dtype::f32, op_kind::plus, false);
  for (problem& p : all) {
    p.n = (std::uint64_t{1} << 32) + (std::uint64_t{1} << 20);
    if (p.what == primitive::recursive_gaussian) p.space = 0.5f;
  }
  std::erase_if(all, [](const problem& p) {
    return (p.what == primitive::median && p.radius != 1 && p.radius != 10) ||
           (p.what == primitive::bilateral && p.space > 3) ||
           (p.what == primitive::resize && p.how != resampling::linear);
  });
  return all;
}

traffic moves(const problem& p, input_kind) {
  // Before its size is set, a result that is resized has a quarter of the elements.
  const double in = 4.0 * static_cast<double>(p.n), out = p.what != primitive::resize ? in
                                                          : p.to.x == 0
                                                              ? in / 4
                                                              : 4.0 * static_cast<double>(p.to.count() * p.channels);
  return {p.what == primitive::non_maximum_suppression ? 2 * in : in, out};
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  const auto with = [](primitive what, auto forms, auto wrong, auto timed, std::uint64_t most, auto huge) {
    conformance_test e;
    e.huge = huge;
    e.what = what, e.forms = forms, e.wrong = wrong, e.timed = timed, e.most_checked = most;
    e.complete = complete, e.arrays = arrays, e.words = words, e.moves = moves, e.kinds = true;
    return upsweep::conformance_test(e);
  };
  constexpr std::uint64_t all = ~std::uint64_t{0};
  return {
      with(primitive::median, median_forms, wrong_median, timed_medians, 300'007, huge<timed_medians>),
      with(primitive::bilateral, bilateral_forms, wrong_bilateral, timed_bilaterals, 300'007, huge<timed_bilaterals>),
      with(primitive::recursive_gaussian, gaussian_forms, wrong_gaussian, timed_gaussians, 100'003,
           huge<timed_gaussians>),
      with(primitive::non_maximum_suppression, thin_forms, wrong_thin, timed_thin, all, huge<timed_thin>),
      with(primitive::hysteresis_threshold, linked_forms, wrong_linked, timed_linked, all, huge<timed_linked>),
      with(primitive::resize, resize_forms, wrong_resize, timed_resizes, 1'000'003, huge<timed_resizes>)};
}

}  // namespace upsweep::detail::filters_impl
