// sort/bitonic
//
// Source    K. Batcher, Sorting Networks and Their Applications, 1968.
// Teaches   a sorting network: which keys are compared does not depend on the keys, so that a step needs no scan, no
//           counting and no memory of its own. Two sorted halves are merged by comparing each key with its mirror image
//           in the other half, and then with the one half, a quarter, an eighth of the way on. Where these distances
//           fit in a block, all the steps run in shared memory.
// Work      close to n·log2 n·(log2 n + 1)/4 comparisons, exactly as many as the network has between keys that are
//           there. Span log2 n·(log2 n + 1)/2. Launches: one for the tiles, then for each doubling the steps too long
//           for a tile and one for the rest.
// Wrong     n·log² n work: at 2^24 keys 150 comparisons a key, and a sweep over memory for each long step. It is not
//           stable either.
// Fixed by  sort/merge-path: n·log n.
// Differs   Batcher's directions alternate. Here the first step of a merge mirrors, and all comparisons put the smaller
//           key first; what would lie past the end is then larger than all, never moves, and need not be there. So n is
//           any number.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"
#include "upsweep/sort/textbook/sort_textbook_keys.hpp"

namespace upsweep::textbook::sort_variants {

// Puts the smaller of two keys first.
template <class Key, class Keys, class Order>
__device__ void compare_exchange(Keys& keys, std::uint64_t low, std::uint64_t high, Order order) {
  const Key a = keys[low], b = keys[high];
  if (order.less(b, a)) {
    keys[low] = b;
    keys[high] = a;
  }
}

// The lower place of the t-th comparison in a step over `distance`, a power of two.
__device__ inline std::uint64_t lower_place(std::uint64_t t, std::uint64_t distance) {
  return 2 * t - (t & (distance - 1));
}

// The t-th comparison of one step of a merge to sorted groups of `size`, among `count` keys. The first step, over half
// the size, is the one that mirrors.
template <class Key, class Keys, class Order>
__device__ void merge_step(Keys& keys, std::uint64_t t, std::uint64_t count, std::uint64_t size, std::uint64_t distance,
                           Order order) {
  const std::uint64_t place = lower_place(t, distance), high = place + distance;
  const std::uint64_t low = 2 * distance == size ? place ^ (distance - 1) : place;
  if (high < count) compare_exchange<Key>(keys, low, high, order);
}

// The steps of the merge to groups of `size` from `distance` on, in shared memory, by one block.
template <unsigned block, class Key, class Keys, class Order>
__device__ void merge_in_block(Keys& cells, unsigned count, std::uint64_t size, unsigned distance, Order order) {
  for (; distance > 0; distance /= 2) {
    __syncthreads();  // others have loaded this comparison's keys, or compared them in the step before
    merge_step<Key>(cells, threadIdx.x, count, size, distance, order);
  }
}

// Sorts groups of `most` among `count` keys in shared memory, at most 2·block.
template <unsigned block, class Key, class Keys, class Order>
__device__ void sort_in_block(Keys& cells, unsigned count, unsigned most, Order order) {
  for (unsigned size = 2; size <= most; size *= 2) merge_in_block<block, Key>(cells, count, size, size / 2, order);
}

// Sorts groups of `size` in each tile of 2·block keys; or, where they are larger than a tile, ends the merge to them.
template <unsigned block, class Key, class Order>
__global__ void bitonic_tiles(global<const Key> keys, global<Key> out, std::uint64_t n, std::uint64_t size,
                              Order order) {
  constexpr unsigned tile = 2 * block;
  UPSWEEP_SHARED(Key, cells, tile);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile;
  const unsigned count = n - first < tile ? n - first : tile;
  for (unsigned j = threadIdx.x; j < count; j += block) cells[j] = keys[first + j];
  if (size <= tile) {
    sort_in_block<block, Key>(cells, count, static_cast<unsigned>(size), order);
  } else {
    merge_in_block<block, Key>(cells, count, size, block, order);
  }
  __syncthreads();  // the last step is done
  for (unsigned j = threadIdx.x; j < count; j += block) out[first + j] = cells[j];
}

// One step over a distance that is too long for a tile.
template <class Key, class Order>
__global__ void bitonic_step(global<Key> keys, std::uint64_t n, std::uint64_t size, std::uint64_t distance,
                             Order order) {
  merge_step<Key>(keys, std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x, n, size, distance, order);
}

// Comparisons of a step over `distance` in which both keys are there.
inline double pairs_of_step(double n, double distance) {
  const double rest = std::fmod(n, 2 * distance);
  return (n - rest) / 2 + std::max(0.0, rest - distance);
}

// Calls f(size, distance) for every step.
template <class F>
void each_bitonic_step(double n, F f) {
  for (double size = 2; size < 2 * n; size *= 2)
    for (double distance = size / 2; distance >= 1; distance /= 2) f(size, distance);
}

template <unsigned block = 512>
struct bitonic : variant_defaults {
  static constexpr std::string_view name = "sort/bitonic";
  static constexpr int year = 1968;
  static constexpr std::string_view source = "Batcher";
  static constexpr std::string_view teaches =
      "a sorting network: the same comparisons whatever the keys, n·log² n of them, short ones in shared memory";
  static constexpr std::uint64_t tile = 2 * block, max_n = most_blocks * tile;
  static constexpr std::string_view limits = "integers of 4 or 8 bytes without values, by all their bits: not stable";
  static constexpr auto cannot = unstable_variant_cannot;
  static constexpr formula work{"near n·log2 n·(log2 n + 1)/4", [](double n) {
                                  double pairs = 0;
                                  each_bitonic_step(
                                      n, [&](double, double distance) { pairs += pairs_of_step(n, distance); });
                                  return pairs;
                                }};
  static constexpr formula span{"⌈log2 n⌉(⌈log2 n⌉ + 1)/2", [](double n) { return log2_up(n) * (log2_up(n) + 1) / 2; }};
  static constexpr formula launches{"1, and each doubling of 1024: its steps over 1024 and more, and 1", [](double n) {
                                      double count = 1;
                                      for (double size = 2 * tile; size < 2 * n; size *= 2)
                                        count += std::log2(size / tile) + 1;
                                      return count;
                                    }};
  static constexpr formula traffic{"at most 2n, and 2n for each further launch", [](double n) {
                                     double moved = 2 * n;
                                     each_bitonic_step(n, [&](double size, double distance) {
                                       if (distance >= tile) moved += 4 * pairs_of_step(n, distance);
                                       if (size > tile && distance == 1) moved += 2 * n;
                                     });
                                     return moved;
                                   }};

  template <class Key, class Order, class Add, class Grid>
  static void run(Grid& grid, global<const Key> in, global<Key> out, std::uint64_t n, Order order, Add) {
    const std::uint64_t tiles = blocks_for(n, tile);
    grid.launch(bitonic_tiles<block, Key, Order>, tiles, block, in, out, n, std::min(tile, std::bit_ceil(n)), order);
    for (std::uint64_t size = 2 * tile; size < 2 * n; size *= 2) {
      for (std::uint64_t distance = size / 2; distance >= tile; distance /= 2)
        grid.launch(bitonic_step<Key, Order>, tiles, block, out, n, size, distance, order);
      grid.launch(bitonic_tiles<block, Key, Order>, tiles, block, out, out, n, size, order);
    }
  }
};

}  // namespace upsweep::textbook::sort_variants
