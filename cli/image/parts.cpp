#include "cli/image/parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace {

constexpr std::uint64_t large = std::uint64_t{1} << 24;         // samples; as floats 64 MiB
constexpr std::uint64_t part_samples = std::uint64_t{1} << 22;  // worked on at a time, and more where filters reach far
constexpr std::uint64_t most_reach_samples = std::uint64_t{1} << 24;

// How many rows above and below a row of the result are looked at; nothing where it may be all.
std::optional<double> reach_of(const image_step& s, std::uint32_t depth) {
  const std::string_view name = s.filter->name;
  if (name == "gaussian" || name == "unsharp") return gaussian_reach(s.numbers[0], depth);
  if (name == "blur") return std::ceil(s.numbers[0]);
  if (name == "box") return std::floor(s.numbers[0] / 2);
  if (name == "median") return s.numbers[0];
  if (name == "bilateral") return std::ceil(2.5 * s.numbers[0]) + 1;
  if (name == "sharpen" || name == "sobel" || name == "laplacian" || name == "emboss") return 1;
  if (name == "threshold") return 0;
  if (name == "convolve") return mask_of_text("mask", s.texts[0]).size.y;
  return std::nullopt;
}

std::optional<std::uint64_t> reach_of(const std::vector<image_step>& steps, std::uint32_t depth) {
  double all = 0;
  for (const image_step& s : steps) {
    const auto reach = reach_of(s, depth);
    if (!reach) return std::nullopt;
    all += *reach;
  }
  return static_cast<std::uint64_t>(all);
}

// A step that processes each channel as a grey picture.
bool goes_by_channels(const std::vector<image_step>& steps, const stored_picture& p) {
  constexpr std::array<std::string_view, 7> names{"resize", "recursive-gaussian", "gaussian", "unsharp", "blur", "box",
                                                  "median"};
  return steps.size() == 1 && !p.has_alpha() && std::ranges::find(names, steps[0].filter->name) != names.end();
}

bool goes_by_rows(const image_place& place, const std::vector<image_step>& steps, const stored_picture& p) {
  const auto reach = reach_of(steps, p.depth);
  return reach && (*reach == 0 || place.edge != upsweep::border::wrap) &&
         4 * *reach * p.width * p.channels <= most_reach_samples;
}

picture after_steps(const image_place& place, const std::vector<image_step>& steps, picture p) {
  for (const image_step& s : steps) p = after_step(place, s, p);
  return p;
}

stored_picture done_by_channels(const image_place& place, const std::vector<image_step>& steps, const stored_picture& p,
                                std::uint32_t depth) {
  stored_picture out;
  for (std::uint32_t c = 0; c < p.channels; ++c) {
    const picture channel = after_steps(place, steps, floats_of_channel(p, c));
    if (c == 0) out = empty_stored(channel.width, channel.height, p.channels, depth);
    put_channel(out, c, channel);
    if (place.explained) place.explained->resize(std::min<std::size_t>(place.explained->size(), 1));
  }
  return out;
}

// Rows beyond those of the result are worked on along with them: as many as the steps look at. Where the picture
// itself ends, so do they.
stored_picture done_by_rows(const image_place& place, const std::vector<image_step>& steps, const stored_picture& p,
                            std::uint32_t depth) {
  const std::uint64_t reach = *reach_of(steps, p.depth),
                      rows = std::max<std::uint64_t>({1, 2 * reach, part_samples / (p.width * p.channels)});
  image_place quiet = place;
  stored_picture out;
  for (std::uint64_t y = 0; y < p.height; y += rows) {
    const std::uint64_t n = std::min(rows, p.height - y), above = std::min(reach, y),
                        below = std::min(reach, p.height - y - n);
    const picture part = after_steps(quiet, steps, floats_of_rows(p, y - above, above + n + below));
    quiet.explained = nullptr;
    if (y == 0) out = empty_stored(p.width, p.height, part.channels, depth);
    put_rows(out, y, part, above, n);
  }
  return out;
}

// The first step sees brightness alone, of which the rest is made.
bool goes_by_brightness(const std::vector<image_step>& steps, const stored_picture& p) {
  return p.channels == 3 && seen_by(*steps[0].filter, {1, 1, 3, 8, {0, 0, 0}}).channels == 1;
}

stored_picture done_by_brightness(const image_place& place, const std::vector<image_step>& steps, stored_picture p,
                                  std::uint32_t depth) {
  picture grey{p.width, p.height, 1, p.depth, std::vector<float>(p.width * p.height)};
  const std::uint64_t rows = std::max<std::uint64_t>(1, part_samples / (p.width * p.channels));
  for (std::uint64_t y = 0; y < p.height; y += rows)
    std::ranges::copy(seen_by(*steps[0].filter, floats_of_rows(p, y, std::min(rows, p.height - y))).samples,
                      &grey.samples[y * p.width]);
  p = {};
  picture out = after_steps(place, steps, std::move(grey));
  out.depth = depth;
  return stored_of(out);
}

bool goes_in_two_passes(const std::vector<image_step>& steps) {
  return steps.size() == 1 && steps[0].filter->name == "equalize";
}

stored_picture done_in_two_passes(const image_place& place, const stored_picture& p, std::uint32_t depth) {
  equalizer e(p.depth);
  stored_picture out = empty_stored(p.width, p.height, p.channels, depth);
  const std::uint64_t rows = std::max<std::uint64_t>(1, part_samples / (p.width * p.channels));
  for (std::uint64_t y = 0; y < p.height; y += rows)
    e.count(place.where, floats_of_rows(p, y, std::min(rows, p.height - y)));
  e.close(place.where);
  for (std::uint64_t y = 0; y < p.height; y += rows) {
    const std::uint64_t n = std::min(rows, p.height - y);
    put_rows(out, y, e.equalized(floats_of_rows(p, y, n)), 0, n);
  }
  return out;
}

}  // namespace

bool goes_in_parts(const image_place& place, const std::vector<image_step>& steps, const stored_picture& p) {
  return p.width * p.height * p.channels >= large && (goes_by_rows(place, steps, p) || goes_by_channels(steps, p) ||
                                                      goes_by_brightness(steps, p) || goes_in_two_passes(steps));
}

stored_picture done_in_parts(const image_place& place, const std::vector<image_step>& steps, stored_picture p,
                             std::uint32_t depth) {
  if (goes_by_rows(place, steps, p)) return done_by_rows(place, steps, p, depth);
  if (goes_by_channels(steps, p)) return done_by_channels(place, steps, p, depth);
  if (goes_by_brightness(steps, p)) return done_by_brightness(place, steps, std::move(p), depth);
  return done_in_two_passes(place, p, depth);
}
