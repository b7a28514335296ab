// Segments of a benchmark: all of about one length, of mixed lengths, of lengths by Zipf's law, or a single segment.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "upsweep/conformance/random_samples.hpp"

namespace upsweep {

// As a problem's field says it: up to five, the power of ten about which the lengths vary, from 0 to twice that.
inline constexpr std::uint8_t mixed_lengths = 6, zipf_lengths = 7, one_segment = 8;
inline constexpr std::array<std::uint8_t, 8> timed_lengths{1, 2, 3, 4, 5, mixed_lengths, zipf_lengths, one_segment};

inline std::string text_of_lengths(std::uint8_t lengths) {
  switch (lengths) {
    case mixed_lengths: return "segments of lengths mixed from 1 to 2^20";
    case zipf_lengths: return "segments of lengths by Zipf's law";
    case one_segment: return "one segment";
    default: return "segments of about 1" + std::string(lengths, '0');
  }
}

using segment_offsets = std::shared_ptr<const std::vector<std::uint64_t>>;

// The offsets of adjacent segments of n elements in total.
inline segment_offsets offsets_of_lengths(std::uint8_t lengths, std::uint64_t n, std::uint64_t seed) {
  auto offsets = std::make_shared<std::vector<std::uint64_t>>(1, 0);
  if (lengths == one_segment) {
    offsets->push_back(n);
  } else if (lengths == mixed_lengths) {
    const double most = std::log2(std::clamp(static_cast<double>(n), 2.0, 0x1p20));
    for (std::uint64_t s = 0; offsets->back() < n; ++s)
      offsets->push_back(
          (std::min)(n, offsets->back() + static_cast<std::uint64_t>(std::exp2(unit(mixed(seed + s)) * most))));
  } else if (lengths == zipf_lengths) {
    // The segment of rank r has 1/r of the longest; ranks are in random order.
    const std::uint64_t m = n / 1000 + 1;
    double all = 0;
    for (std::uint64_t r = 1; r <= m; ++r) all += 1 / static_cast<double>(r);
    const places ranks(input_kind::uniform, m, m, seed);
    for (std::uint64_t s = 0; s < m; ++s)
      offsets->push_back(offsets->back() +
                         static_cast<std::uint64_t>(static_cast<double>(n) / all / static_cast<double>(ranks(s) + 1)));
    for (std::uint64_t& at : *offsets) at = (std::min)(at, n);
    offsets->back() = n;
  } else {
    std::uint64_t m = n;
    for (std::uint8_t power = 0; power < lengths; ++power) m /= 10;
    ++m;
    for (std::uint64_t s = 1; s < m; ++s)
      offsets->push_back((std::min)(n, static_cast<std::uint64_t>((static_cast<double>(s) + unit(mixed(seed + s))) *
                                                                  static_cast<double>(n) / static_cast<double>(m))));
    offsets->push_back(n);
  }
  return offsets;
}

}  // namespace upsweep
