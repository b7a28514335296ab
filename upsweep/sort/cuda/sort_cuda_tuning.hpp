// The partition of the CUDA radix sort's work. A shape is a set of numbers; the kernels take it as a template
// parameter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/shared_limits.hpp"

namespace upsweep {

// One tile of a pass: consecutive keys that one block ranks at once. A larger tile exchanges fewer prefixes and
// writes longer runs; a thread's registers limit it.
template <int Threads, int Items, int BlocksPerMultiprocessor>
struct sort_shape {
  static_assert(Threads >= 256 && Threads % 128 == 0,
                "a thread for each value of a digit, and whole groups of the scanner");
  static_assert(Threads * Items < 1 << 16, "a tile's counts have 16 bits");
  static constexpr int threads = Threads;
  static constexpr int items = Items;
  static constexpr int blocks = BlocksPerMultiprocessor;
  static constexpr int tile = Threads * Items;
};

// Whether a pass moves keys and values as records, joined.
template <int KeyBytes, int ValueBytes>
inline constexpr bool joins_pairs = KeyBytes == ValueBytes && KeyBytes >= 4;

// Shared memory of a block in a pass: the sorted tile with a free cell after every 32, the warps' counters, and the
// destinations of each digit value's keys.
template <int KeyBytes, int ValueBytes, class Shape>
constexpr std::uint64_t sort_pass_bytes() {
  constexpr std::uint64_t cells = Shape::tile + Shape::tile / 32, digit_values = 256;
  const auto sixteens = [](std::uint64_t bytes) { return (bytes + 15) / 16 * 16; };
  constexpr std::uint64_t apart = joins_pairs<KeyBytes, ValueBytes> ? 0 : ValueBytes;
  return sixteens(cells * (KeyBytes + ValueBytes - apart)) + sixteens(std::max<std::uint64_t>(1, cells * apart)) +
         Shape::threads / 32 * digit_values * 4 + sixteens(digit_values * 8 + digit_values / 32 * 4 + 8);
}

// The kernel for each size, on one H200 against CUB 3.0.1, cold (README.md has the history).
template <int KeyBytes, int ValueBytes>
struct sort_tuning {
  // In 4-byte words that a thread holds of an item.
  static constexpr int words = (KeyBytes + 3) / 4 + (ValueBytes + 3) / 4;
  static constexpr bool joined = joins_pairs<KeyBytes, ValueBytes>,
                        words_apart = words == 2 && ValueBytes > 0 && !joined;
  using large = sort_shape<words_apart  ? 1024
                           : words == 3 ? 768
                                        : 512,
                           words == 1    ? 32
                           : words_apart ? 16
                           : words == 2  ? 24
                           : words == 3  ? 14
                                         : 16,
                           words == 1 ? 2 : 1>;
  // While there are few tiles: with fewer tiles the scanner ends sooner; with more tiles more multiprocessors work.
  using middle = sort_shape<512,
                            words == 1 || (words == 2 && !ValueBytes) ? 16
                            : words_apart                             ? 6
                            : words == 2                              ? 12
                                                                      : 8,
                            2>;
  // For blocks with less shared memory than the other shapes need: the middle one, or 20 to 31 KB, of which two fit
  // on Turing's multiprocessors. Not timed.
  using small =
      std::conditional_t<KeyBytes >= 4 && sort_pass_bytes<KeyBytes, ValueBytes, middle>() <= least_shared_limit, middle,
                         sort_shape<256, 20 / words, 3>>;
  static constexpr std::uint64_t middle_keys = words == 1   ? 1 << 20
                                               : words == 2 ? (ValueBytes ? 3 << 18 : 3 << 17)
                                                            : 1 << 19;
  static constexpr std::uint64_t resident = 1 << 16;  // keys that one launch sorts, where they fit
};

// The digits' counters: each lane of a warp counts in its own column, so that no two lanes have a bank conflict,
// whatever the keys are. Wide keys have too many digits for that, so two lanes share a column. If a block has less
// shared memory than that, up to eight lanes share one: 32 KB.
template <int KeyBytes>
struct histogram_tuning {
  static constexpr int columns = KeyBytes <= 4 ? 32 : 16, few_columns = 32 / KeyBytes;
};
constexpr int histogram_shared_bytes(int passes, int columns) { return passes * 256 * columns * 4; }
inline constexpr int plan_shared_bytes = 1 << 10;  // which the last block that counts makes; more than it takes

template <int KeyBytes, int ValueBytes>
struct resident_tuning {
  static constexpr std::uint64_t one_block = 1 << 11;      // keys
  static constexpr std::uint64_t small_cluster = 1 << 13;  // keys that 8 blocks take; beyond that 16
  // A thread's, as long as there are threads.
  static constexpr std::uint64_t items(std::uint64_t n) { return n <= 1 << 14 ? 4 : 8; }
  // Digits that distinguish nearly all of that many keys if these are spread evenly; the exponents of floats are not.
  // 0: that would be too many of all digits to be faster.
  static constexpr int leading(bool floating, std::uint64_t n) {
    if (KeyBytes == 8) return floating ? 4 : n <= 1 << 12 ? 2 : 3;
    return KeyBytes == 4 && !floating && n <= 1 << 13 ? 2 : 0;
  }
};

// A sort of segments: each thread takes this many neighbours of one segment, an odd number, to avoid bank conflicts.
template <int Threads, int Items, int Blocks>
struct segment_shape {
  static_assert(Items % 2 == 1 && Threads * Items < 1 << 16, "a block's places have 16 bits");
  static constexpr int threads = Threads;
  static constexpr int items = Items;
  static constexpr int blocks = Blocks;
};

// Up to this many keys one block sorts all segments.
inline constexpr std::uint64_t most_in_one_block = 1024;

// By the size in bytes of a sorted element: an image, or an image and an index. Two copies of it fit into 48 KB. On
// one H200 at 2^26.
template <int ElementBytes>
struct segment_tuning {
  static constexpr int items = ElementBytes == 4 ? 17 : ElementBytes == 8 ? 11 : 7;
  using short_shape = segment_shape<256, items, ElementBytes == 4 ? 6 : 5>;
  using long_shape = segment_shape<1024, items, 1>;
  // Few keys, not in the shortest segments: only a block's waiting time from round to round matters. On one H100,
  // u32.
  static constexpr bool has_quick_shape = ElementBytes == 4;
  using quick_shape = segment_shape<512, 9, 2>;
  static constexpr std::uint64_t quick_keys = 1 << 17, quick_mean = 32;
  // Many keys in short segments: more keys in a thread's registers.
  static constexpr bool has_wide_shape = ElementBytes == 4;
  using wide_shape = segment_shape<256, 21, 5>;
  static constexpr std::uint64_t wide_keys = 1 << 15, many_keys = 1 << 23, wide_mean = 512;
  // A segment that is split by digits although little longer than a block's capacity takes twice as long. If the mean
  // length suggests many of those, a block holds more.
  static constexpr int longer_items = ElementBytes == 4 ? 21 : items;
  static constexpr std::uint64_t least_long_mean = 1 << 12, most_long_mean = 1024 * longer_items;
};

}  // namespace upsweep
