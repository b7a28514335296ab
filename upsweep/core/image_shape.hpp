// Shapes of signals, images and volumes, and the elements beyond their edges.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "upsweep/types.hpp"

namespace upsweep {

// Width, height and depth. A signal has y = z = 1, an image z = 1.
struct extent {
  std::uint64_t x = 1, y = 1, z = 1;
  UPSWEEP_HD constexpr std::uint64_t count() const { return x * y * z; }
  friend constexpr bool operator==(const extent&, const extent&) = default;
};

// The memory layout of a signal, an image or a volume: `size` pixels of `channels` interleaved elements. A row begins
// `pitch` elements after the row before it (in the result: out_pitch); 0 means rows without gaps.
//
// A signal has one axis and no rows above or below it: image_layout{{n}}, or image_layout::of_signal(n, channels). Any
// other layout with one row is an image, which its border also continues upwards and downwards.
struct image_layout {
  extent size;
  std::uint32_t channels = 1;
  std::uint64_t pitch = 0, out_pitch = 0;
  bool signal = false;

  constexpr image_layout() = default;
  constexpr image_layout(extent of_size, std::uint32_t of_channels = 1, std::uint64_t in_pitch = 0,
                         std::uint64_t pitch_of_result = 0)
      : size(of_size), channels(of_channels), pitch(in_pitch), out_pitch(pitch_of_result) {}
  constexpr image_layout(std::uint64_t width, std::uint64_t height) : size{width, height} {}
  static constexpr image_layout of_signal(std::uint64_t n, std::uint32_t of_channels = 1) {
    image_layout r(extent{n}, of_channels);
    r.signal = true;
    return r;
  }
  constexpr image_layout(const std::uint64_t (&of_signal)[1], std::uint32_t of_channels = 1)
      : image_layout(image_layout::of_signal(of_signal[0], of_channels)) {}
  // For {{width, height}}. A template, because clang before version 20 finds the overload for a signal ambiguous.
  template <std::size_t N>
    requires(N == 2 || N == 3)
  constexpr image_layout(const std::uint64_t (&of_size)[N], std::uint32_t of_channels = 1, std::uint64_t in_pitch = 0,
                         std::uint64_t pitch_of_result = 0)
      : image_layout(extent{of_size[0], of_size[1], N == 3 ? of_size[N - 1] : 1}, of_channels, in_pitch,
                     pitch_of_result) {}
};

// The elements beyond the edges, shown for the row abcde.
enum class border : std::uint8_t {
  none,     // none: only positions whose window is inside have a result
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

// The index in [0, n) of the element that the border puts at index i, or -1 if that element is zero. n > 0; i may be
// any distance outside.
UPSWEEP_HD constexpr std::int64_t border_index(border b, std::int64_t i, std::int64_t n) {
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
