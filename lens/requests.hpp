// The cost of one memory request of a warp: sectors of global memory, wavefronts of shared memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace upsweep::lens {

struct request_cost {
  std::uint64_t elements = 0;                          // distinct ones
  std::uint64_t sectors = 0, ideal_sectors = 0;        // global: of 32 bytes
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;  // shared
  std::uint64_t degree = 0;                            // the most wavefronts of any part that is served at once
};

struct lanes_of_request {
  std::array<std::uint64_t, 32> at;
  int count = 0;
  lanes_of_request(const std::uint64_t* address, std::uint32_t mask) {
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) at[count++] = address[std::countr_zero(rest)];
    if (!std::is_sorted(at.begin(), at.begin() + count)) std::sort(at.begin(), at.begin() + count);
    count = static_cast<int>(std::unique(at.begin(), at.begin() + count) - at.begin());
  }
};

// An atomic's lanes are served each for itself, also where they want the same: its ideal counts them all.
inline request_cost count_sectors(const std::uint64_t* address, std::uint32_t mask, unsigned size, bool atomic) {
  request_cost t;
  const lanes_of_request a(address, mask);
  std::uint64_t next = 0;  // sector not yet counted
  for (int i = 0; i < a.count; ++i) {
    const std::uint64_t first = std::max(a.at[i] / 32, next), last = (a.at[i] + size - 1) / 32;
    if (last + 1 > first) t.sectors += last + 1 - first;
    next = std::max(next, last + 1);
  }
  t.elements = static_cast<std::uint64_t>(a.count);
  const auto wanted = atomic ? static_cast<std::uint64_t>(std::popcount(mask)) : t.elements;
  t.ideal_sectors = (wanted * size + 31) / 32;
  return t;
}

// One pass over the banks for those lanes, and another for each further word that they want of one bank; a word that
// several lanes want is read once.
inline std::uint64_t turns_of(const std::uint64_t* address, std::uint32_t mask, unsigned size) {
  const lanes_of_request a(address, mask);
  std::array<std::uint8_t, 32> words{};
  std::uint64_t next = 0, turns = 1;
  for (int i = 0; i < a.count; ++i)
    for (std::uint64_t word = std::max(a.at[i] / 4, next); word <= (a.at[i] + size - 1) / 4; ++word) {
      turns = std::max<std::uint64_t>(turns, ++words[word % 32]);
      next = word + 1;
    }
  return turns;
}

// Do lanes that differ in that bit of their number want the same, where both want something?
inline bool same_across(const std::uint64_t* address, std::uint32_t mask, unsigned bit) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest)), other = lane ^ bit;
    if ((mask >> other & 1) != 0 && address[lane] != address[other]) return false;
  }
  return true;
}

// 32 lanes are served together with 4 bytes each, 16 with 8, 8 with 16. Two such parts become one where neighbours (or
// neighbours but one) want the same and no bank is in the way. At best, 128 bytes are served at a time.
inline request_cost count_wavefronts(const std::uint64_t* address, std::uint32_t mask, unsigned size) {
  request_cost t;
  const unsigned part = size <= 4 ? 32 : size <= 8 ? 16 : 8, both = std::min(2 * part, 32u);
  const auto of = [&](unsigned first, unsigned lanes) {
    return lanes == 32 ? mask : mask & (((1u << lanes) - 1) << first);
  };
  std::uint64_t served = 0;
  for (unsigned first = 0; first < 32; first += both) {
    const std::uint32_t those = of(first, both);
    if (those == 0) continue;
    const auto lanes = static_cast<std::uint64_t>(std::popcount(those));
    if (both > part && (same_across(address, those, 1) || same_across(address, those, 2)) &&
        turns_of(address, those, size) == 1) {
      t.wavefronts += 1, t.degree = std::max<std::uint64_t>(t.degree, 1);
      served += std::min<std::uint64_t>(lanes, part);
      continue;
    }
    served += lanes;
    for (unsigned begin = first; begin < first + both; begin += part) {
      if (of(begin, part) == 0) continue;
      const std::uint64_t turns = turns_of(address, of(begin, part), size);
      t.wavefronts += turns, t.degree = std::max(t.degree, turns);
    }
  }
  t.elements = static_cast<std::uint64_t>(lanes_of_request(address, mask).count);
  t.ideal_wavefronts = (served * size + 127) / 128;
  return t;
}

}  // namespace upsweep::lens
