// How the CUDA radix sort cuts its work. A shape is a row of numbers; the kernels take it as a template parameter.
#pragma once

#include <cstdint>

namespace upsweep {

inline constexpr int most_pass_blocks = 4;  // blocks a multiprocessor, of any shape

// One tile of a pass: consecutive keys that one block ranks at once. The larger, the fewer prefixes have to go to and
// fro, and the longer the runs that go out together; what a thread's registers hold is the limit.
template <int Threads, int Items, int BlocksPerMultiprocessor>
struct sort_shape {
  static_assert(Threads >= 256 && Threads % 128 == 0,
                "a thread for each value of a digit, and whole groups of the scanner");
  static_assert(Threads * Items < 1 << 16, "a tile's counts have 16 bits");
  static_assert(BlocksPerMultiprocessor <= most_pass_blocks);
  static constexpr int threads = Threads;
  static constexpr int items = Items;
  static constexpr int blocks = BlocksPerMultiprocessor;
  static constexpr int tile = Threads * Items;
};

// Which kernel takes which size, on one H200 against CUB 3.0.1, cold (README.md tells how it came to this).
template <int KeyBytes, int ValueBytes>
struct sort_tuning {
  // In 4-byte words that a thread holds of an item.
  static constexpr int words = (KeyBytes + 3) / 4 + (ValueBytes + 3) / 4;
  static constexpr bool pairs_of_words = words == 2 && ValueBytes > 0;
  using large = sort_shape<pairs_of_words ? 1024 : 512,
                           words == 1       ? 32
                           : pairs_of_words ? 16
                           : words == 2     ? 24
                           : words == 3     ? 14
                                            : 10,
                           words == 1 ? 2 : 1>;
  // As long as there are few tiles: the fewer, the sooner the scanner is through; the more, the more multiprocessors
  // work.
  using middle = sort_shape<512, words == 1 || (words == 2 && !ValueBytes) ? 16 : words == 2 ? 6 : 4, 2>;
  static constexpr std::uint64_t middle_keys = words == 1   ? 3 << 18
                                               : words == 2 ? (ValueBytes ? 3 << 18 : 3 << 17)
                                                            : 1 << 19;
  static constexpr std::uint64_t resident = 1 << 16;  // keys that one launch sorts, where they fit
};

template <int KeyBytes, int ValueBytes>
struct resident_tuning {
  static constexpr int items = 4;                          // a thread's, as long as there are threads
  static constexpr std::uint64_t one_block = 1 << 11;      // keys
  static constexpr std::uint64_t small_cluster = 1 << 14;  // keys that 8 blocks take; beyond that 16
};

}  // namespace upsweep
