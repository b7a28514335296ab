// All of it is integer arithmetic on places that are scaled to 1024 x 1024, so that no machine's rounding shows. A
// quarter each: a star of edges, rings that grow finer, texture with noise, gradients; letters across the middle.
#include "cli/image/picture.hpp"

#include <algorithm>
#include <array>

#include "upsweep/conformance/random_samples.hpp"

namespace {

constexpr std::int64_t whole = 1 << 16;  // white
constexpr std::int64_t side = 1024;

struct colour {
  std::int64_t red, green, blue;
};
constexpr colour grey(std::int64_t v) { return {v, v, v}; }

// Seven rows of five pixels each, the leftmost the highest bit.
struct glyph {
  char letter;
  std::array<std::uint8_t, 7> rows;
};
constexpr glyph glyphs[]{{'U', {17, 17, 17, 17, 17, 17, 14}}, {'P', {30, 17, 17, 30, 16, 16, 16}},
                         {'S', {15, 16, 16, 14, 1, 1, 30}},   {'W', {17, 17, 17, 21, 21, 27, 17}},
                         {'E', {31, 16, 16, 30, 16, 16, 31}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
                         {'2', {14, 17, 1, 2, 4, 8, 31}},     {'3', {30, 1, 1, 14, 1, 1, 30}}};

// Whether the text's line, `scale` to a glyph's pixel and its upper left corner at (0, 0), is black at a place.
bool inked(std::string_view text, std::int64_t x, std::int64_t y, std::int64_t scale) {
  if (x < 0 || y < 0 || y >= 7 * scale) return false;
  const std::int64_t column = x / scale, place = column / 6, within = column % 6;
  if (place >= static_cast<std::int64_t>(text.size()) || within == 5) return false;
  const auto* g = std::ranges::find(glyphs, text[static_cast<std::size_t>(place)], &glyph::letter);
  return g != std::end(glyphs) && (g->rows[static_cast<std::size_t>(y / scale)] >> (4 - within) & 1);
}

// Twelve lines through the middle part black from white: edges at every 15 degrees.
colour star(std::int64_t x, std::int64_t y) {
  constexpr std::int64_t directions[12][2]{{1024, 67},  {972, 329},  {853, 566},  {677, 768},
                                           {456, 917},  {200, 1004}, {-67, 1022}, {-329, 970},
                                           {-566, 853}, {-768, 677}, {-917, 456}, {-1004, 200}};
  bool white = false;
  for (const auto& d : directions) white ^= d[0] * y - d[1] * x > 0;
  return grey(white ? whole : whole / 16);
}

// A triangle wave of the squared distance: its period shrinks outwards.
colour rings(std::int64_t x, std::int64_t y) {
  const std::int64_t phase = (x * x + y * y) * 16 % (whole * 2);
  return grey(phase < whole ? phase : 2 * whole - phase);
}

std::int64_t lattice(std::int64_t x, std::int64_t y, std::uint64_t seed) {
  return static_cast<std::int64_t>(
      upsweep::mixed(static_cast<std::uint64_t>(y) << 32 | static_cast<std::uint64_t>(x) | seed << 60) >> 48);
}

// Value noise of four octaves, and the hash itself on top.
colour texture(std::int64_t x, std::int64_t y) {
  std::int64_t sum = 0;
  for (std::int64_t octave = 0; octave < 4; ++octave) {
    const std::int64_t cell = 64 >> octave, cx = x / cell, cy = y / cell, fx = x % cell, fy = y % cell;
    const auto seed = static_cast<std::uint64_t>(octave);
    const std::int64_t top = lattice(cx, cy, seed) * (cell - fx) + lattice(cx + 1, cy, seed) * fx;
    const std::int64_t bottom = lattice(cx, cy + 1, seed) * (cell - fx) + lattice(cx + 1, cy + 1, seed) * fx;
    sum += (top * (cell - fy) + bottom * fy) / (cell * cell) >> octave;
  }
  const std::int64_t v = std::min(whole, sum * 8 / 15 + lattice(x, y, 15) / 8);
  return {v, v * 3 / 4, v / 3};
}

// Red, green and blue rise along three directions; a stair of eight greys below.
colour gradients(std::int64_t x, std::int64_t y) {
  if (y >= 384) return grey(x / 64 * whole / 7);
  return {x * whole / 511, y * whole / 383, whole - (x + y) * whole / 894};
}

colour colour_at(std::int64_t x, std::int64_t y) {
  if (inked("UPSWEEP", x - 8, y - 428, 24)) return {whole, whole * 3 / 4, 0};
  if (y >= 420 && y < 604) return {whole / 20, whole / 12, whole / 5};
  if (inked("UPSWEEP 123", x - 540, y - 620, 6) || inked("UPSWEEP 123", x - 540, y - 672, 3) ||
      inked("UPSWEEP 123", x - 540, y - 700, 1))
    return grey(0);
  if (x < 512 && y < 512) return star(x - 256, y - 210);
  if (y < 512) return rings(x - 768, y - 210);
  if (x < 512) return texture(x, y);
  return gradients(x - 512, y - 512);
}

}  // namespace

picture test_picture(std::uint64_t width, std::uint64_t height, std::uint32_t channels, std::uint32_t depth) {
  picture p{width, height, channels, depth, std::vector<float>(width * height * channels)};
  const auto w = static_cast<std::int64_t>(width), h = static_cast<std::int64_t>(height);
  const std::int64_t most = depth == 8 ? 255 : 65535;
  const auto sample = [&](std::int64_t v) {
    return static_cast<float>((v * most + whole / 2) / whole) / static_cast<float>(most);
  };
  float* to = p.samples.data();
  for (std::int64_t y = 0; y < h; ++y)
    for (std::int64_t x = 0; x < w; ++x) {
      const std::int64_t px = (2 * x + 1) * side / (2 * w), py = (2 * y + 1) * side / (2 * h);
      const colour c = colour_at(px, py);
      if (p.colours() == 1) {
        *to++ = sample((c.red * 299 + c.green * 587 + c.blue * 114) / 1000);
      } else {
        *to++ = sample(c.red), *to++ = sample(c.green), *to++ = sample(c.blue);
      }
      // Clear in the corners, a soft rim, and a hole in the middle.
      if (p.has_alpha()) {
        const std::int64_t dx = px - side / 2, dy = py - side / 2, d = dx * dx + dy * dy;
        *to++ = sample(d < 1600 ? 0 : std::clamp((300000 - d) * whole / 100000, std::int64_t{0}, whole));
      }
    }
  return p;
}
