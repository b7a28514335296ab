// Shapes of signals, pictures and volumes, and what stands beyond their edges.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "upsweep/types.hpp"

namespace upsweep {

// Width, height and depth. A signal has y = z = 1, a picture z = 1.
struct extent {
  std::uint64_t x = 1, y = 1, z = 1;
  UPSWEEP_HD constexpr std::uint64_t count() const { return x * y * z; }
  friend constexpr bool operator==(const extent&, const extent&) = default;
};

// How a picture, or a volume, lies in memory: `size` pixels of `channels` interleaved elements, each row `pitch`
// elements after the one before it (of the result: out_pitch), 0 meaning without gaps.
struct raster {
  extent size;
  std::uint32_t channels = 1;
  std::uint64_t pitch = 0, out_pitch = 0;

  constexpr raster() = default;
  constexpr raster(extent of_size, std::uint32_t of_channels = 1, std::uint64_t in_pitch = 0,
                   std::uint64_t pitch_of_result = 0)
      : size(of_size), channels(of_channels), pitch(in_pitch), out_pitch(pitch_of_result) {}
  constexpr raster(std::uint64_t width, std::uint64_t height) : size{width, height} {}
  // {{width, height}}: to clang before 20 that could be the one above, in braces, as well.
  template <std::size_t N>
    requires(N == 2 || N == 3)
  constexpr raster(const std::uint64_t (&of_size)[N], std::uint32_t of_channels = 1, std::uint64_t in_pitch = 0,
                   std::uint64_t pitch_of_result = 0)
      : raster(extent{of_size[0], of_size[1], N == 3 ? of_size[N - 1] : 1}, of_channels, in_pitch, pitch_of_result) {}
};

// How the row abcde goes on beyond its ends.
enum class border : std::uint8_t {
  none,     // it does not: only places that need nothing from beyond have a result
  zero,     // 000 | abcde | 000
  clamp,    // aaa | abcde | eee
  reflect,  // cba | abcde | edc
  mirror,   // dcb | abcde | dcb
  wrap,     // cde | abcde | abc
};

inline constexpr std::array all_borders{border::none,    border::zero,   border::clamp,
                                        border::reflect, border::mirror, border::wrap};

constexpr std::string_view name_of(border b) {
  constexpr std::string_view names[]{"none", "zero", "clamp", "reflect", "mirror", "wrap"};
  return names[static_cast<int>(b)];
}

constexpr std::optional<border> border_named(std::string_view name) {
  for (border b : all_borders)
    if (name_of(b) == name) return b;
  return std::nullopt;
}

// The place in [0, n) whose element stands at place i, or -1 where that is zero. n > 0; i may be any distance off.
UPSWEEP_HD constexpr std::int64_t place_of(border b, std::int64_t i, std::int64_t n) {
  if (i >= 0 && i < n) return i;
  switch (b) {
    case border::clamp: return i < 0 ? 0 : n - 1;
    case border::wrap: {
      const std::int64_t k = i % n;
      return k < 0 ? k + n : k;
    }
    case border::reflect: {
      const std::int64_t k = i % (2 * n), there = k < 0 ? k + 2 * n : k;
      return there < n ? there : 2 * n - 1 - there;
    }
    case border::mirror: {
      if (n == 1) return 0;
      const std::int64_t period = 2 * n - 2, k = i % period, there = k < 0 ? k + period : k;
      return there < n ? there : period - there;
    }
    default: return -1;
  }
}

}  // namespace upsweep
