// Shapes of the merge sort by a comparison, by the sizes of the moved data: for types compiled by nvcc, and for types
// given as device source.
#pragma once

#include <cstdint>

#include "upsweep/types.hpp"

namespace upsweep::cuda {

inline constexpr std::uint64_t largest_compared = 1272;

// The amount of elements: few are ranked, some and many are merged.
enum class compared_amount : std::uint8_t { few, some, many };

// A tile in shared memory: cells of elements, which values reuse after the keys are written, followed by the indices.
struct compared_cells {
  std::uint64_t key_bytes, value_bytes;  // 0: no values

  // Elements of up to eight bytes move, of up to 16 if a thread has few; for larger ones their indices move.
  UPSWEEP_HD constexpr bool by_place(int items) const { return key_bytes > (items <= 9 ? 16 : 8); }
  UPSWEEP_HD constexpr bool with_places(int items) const { return by_place(items) || value_bytes != 0; }
  // Space for one thread's items beyond the outputs: a merge reads past the end of an exhausted run.
  UPSWEEP_HD constexpr std::uint64_t count(int threads, int items) const {
    return static_cast<std::uint64_t>(threads + 1) * items + 1;
  }
  UPSWEEP_HD constexpr std::uint64_t places_at(int threads, int items) const {
    const std::uint64_t cell = value_bytes > key_bytes ? value_bytes : key_bytes;
    return (count(threads, items) * cell + 15) / 16 * 16;
  }
  UPSWEEP_HD constexpr std::uint64_t bytes(int threads, int items) const {
    return places_at(threads, items) + (with_places(items) ? count(threads, items) * 2 : 0);
  }
};

// A tile of two sequences to merge: cells of keys, of values, and numbers of cells.
struct two_cells {
  std::uint64_t key_bytes, value_bytes;  // 0: no values

  // Elements whose size is a power of two, at most 16: none crosses a multiple of 16 bytes.
  UPSWEEP_HD static constexpr bool wide(std::uint64_t bytes) { return bytes <= 16 && (bytes & (bytes - 1)) == 0; }
  UPSWEEP_HD constexpr bool by_place() const { return key_bytes > 8; }
  UPSWEEP_HD constexpr bool with_places() const { return by_place() || value_bytes != 0; }
  // Space for one thread's items beyond the outputs, since a merge reads past the end of an exhausted run, and
  // padding that keeps both runs at their offsets modulo 16 bytes in memory.
  UPSWEEP_HD static constexpr std::uint64_t bytes_of(int threads, int items, std::uint64_t each) {
    const std::uint64_t cells = static_cast<std::uint64_t>(threads + 1) * items + 1;
    return (cells * each + (wide(each) ? 48 : 0) + 15) / 16 * 16;
  }
  UPSWEEP_HD constexpr std::uint64_t values_at(int threads, int items) const {
    return bytes_of(threads, items, key_bytes);
  }
  UPSWEEP_HD constexpr std::uint64_t places_at(int threads, int items) const {
    return values_at(threads, items) + (value_bytes != 0 ? bytes_of(threads, items, value_bytes) : 0);
  }
  UPSWEEP_HD constexpr std::uint64_t bytes(int threads, int items) const {
    return places_at(threads, items) + (with_places() ? static_cast<std::uint64_t>(threads) * items * 2 : 0);
  }
};

// Items of a thread, and threads of a block while their tile fits. Measured on an H200 against CUB 3.0.1, cold; the
// README has the figures.
struct compared_tuning {
  compared_cells cells;

  constexpr std::uint64_t bytes() const { return cells.key_bytes; }
  constexpr bool one_word() const { return bytes() <= 4 && cells.value_bytes == 0; }

  constexpr compared_amount amount(std::uint64_t n) const {
    using enum compared_amount;
    if (n > 1 << 20) return many;
    return n > (bytes() <= 8 ? 1 << 16 : 1 << 15) ? some : few;
  }
  constexpr int sort_items(compared_amount a) const {
    if (a == compared_amount::few) return bytes() <= 32 ? 5 : merge_items(compared_amount::many);
    if (a == compared_amount::some) return merge_items(a);
    return bytes() > 16 && bytes() <= 32 ? 9 : merge_items(a);
  }
  constexpr int merge_items(compared_amount a) const {
    if (a == compared_amount::some && bytes() <= 32) return 9;
    return one_word() ? 33 : bytes() <= 32 ? 17 : bytes() <= 288 ? 5 : bytes() <= 480 ? 3 : 1;
  }
  constexpr int sort_threads(compared_amount a, std::uint64_t n) const {
    if (a == compared_amount::some) return bytes() <= 16 ? 512 : 256;
    if (a == compared_amount::many) return bytes() <= 8 ? 512 : bytes() <= 16 ? 256 : 128;
    const auto items = static_cast<std::uint64_t>(sort_items(a));
    if (bytes() > 16) return n <= 1 << 14 ? 256 : 512;
    // Input that fits one tile, or up to eight that are ranked.
    if (n <= 512 * items) return n <= 256 * items ? 256 : 512;
    return n <= 8 * 128 * items ? 128 : n <= 1 << 13 || n > 1 << 15 ? 256 : 512;
  }
  constexpr int merge_threads(compared_amount a, std::uint64_t n) const {
    if (a == compared_amount::some) return 256;
    return one_word() || n <= 1 << 22 || (bytes() > 8 && bytes() <= 16) ? 256 : 128;
  }
  // For few elements: the number of tiles that are ranked among each other at once.
  constexpr std::uint32_t ranked_runs(std::uint64_t n) const { return n <= 1 << 15 ? 16 : 8; }

  // Shared memory for all elements, which every block of one ranking loads before it ranks its own; 0: no block loads
  // them.
  constexpr std::uint64_t staged_bytes(std::uint64_t n, std::uint64_t shared_limit) const {
    const std::uint64_t needed = n * bytes() + 16, most = bytes() <= 8 ? 1 << 17 : 1 << 16;
    return needed <= most && needed + 256 <= shared_limit ? needed : 0;
  }

  // Threads of a block whose tile fits into a block's shared memory, at most those wanted.
  constexpr int fitting(int wanted, int items, std::uint64_t shared_limit) const {
    constexpr std::uint64_t beside = 256;  // the cuts
    while (wanted > 32 && cells.bytes(wanted, items) + beside > shared_limit) wanted /= 2;
    return wanted;
  }
};

// For two sequences to merge, by their total size. Measured on an H100; the README has the figures.
struct two_tuning {
  two_cells cells;

  // From this many elements on, a separate launch cuts stretches of this many tiles.
  static constexpr std::uint64_t cut_from = std::uint64_t{1} << 23, tiles_of_a_stretch = 64;

  constexpr int items() const {
    const std::uint64_t both = cells.key_bytes + cells.value_bytes;
    if (both > 288) return both <= 480 ? 3 : 1;
    if (cells.key_bytes > 8) return 5;
    return both <= 8 ? 17 : 9;
  }
  // Threads of a block whose tile fits into a block's shared memory.
  constexpr int fitting(std::uint64_t n, std::uint64_t shared_limit) const {
    constexpr std::uint64_t beside = 256;  // where the tile begins and ends
    int threads = n <= (cells.key_bytes <= 8 ? 1 << 21 : 1 << 18) ? 128 : 256;
    while (threads > 32 && cells.bytes(threads, items()) + beside > shared_limit) threads /= 2;
    return threads;
  }
};

// The partition of each group's merged order into tiles, of which a block writes one.
struct run_cut {
  int tile = 0;             // outputs
  std::uint32_t tiles = 0;  // of a group
};

inline constexpr int most_runs = 4;

}  // namespace upsweep::cuda
