// sort/odd-even-merge
//
// Source    K. Batcher, Sorting Networks and Their Applications, 1968, the other network of that paper.
// Teaches   fewer comparisons than the bitonic network, for the same steps. Two sorted halves are compared key by key;
//           after that each key is near its place, and every further step corrects between neighbouring groups: the
//           upper half of one with the lower half of the next.
// Work      near n·log2 n·(log2 n - 1)/4 comparisons. Span ⌈log2 n⌉(⌈log2 n⌉ + 1)/2. Launches: one for the tiles, then
//           for each doubling one a step.
// Wrong     a step's pairs reach over the border of every tile, however small their distance: beyond a tile each step
//           is a sweep over memory of its own, and what the comparisons save the launches cost many times. Lanes at the
//           ends of a group have nothing to do. It is not stable.
// Fixed by  sort/merge-path.
// Differs   Batcher takes powers of two. All comparisons put the smaller key first, so what would lie past the end need
//           not be there, and n is any number.
#pragma once

#include "upsweep/sort/textbook/bitonic.cuh"

namespace upsweep::textbook::sort_variants {

// The t-th comparison of one step of a merge to sorted groups of `size`, among `count` keys. The first step is that of
// the halves; in the others the upper keys of 2·distance meet the lower ones of the next, if it is of the same group.
template <class Key, class Keys, class Order>
__device__ void odd_even_step(Keys& keys, std::uint64_t t, std::uint64_t count, std::uint64_t size,
                              std::uint64_t distance, Order order) {
  const bool halves = 2 * distance == size;
  const std::uint64_t low = lower_place(t, distance) + (halves ? 0 : distance), high = low + distance;
  if (high < count && (high & (size - 1)) >= distance) compare_exchange<Key>(keys, low, high, order);
}

template <unsigned block, class Key, class Order>
__global__ void odd_even_tiles(global<const Key> keys, global<Key> out, std::uint64_t n, unsigned most, Order order) {
  constexpr unsigned tile = 2 * block;
  UPSWEEP_SHARED(Key, cells, tile);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile;
  const unsigned count = n - first < tile ? n - first : tile;
  for (unsigned j = threadIdx.x; j < count; j += block) cells[j] = keys[first + j];
  for (unsigned size = 2; size <= most; size *= 2)
    for (unsigned distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();  // others have loaded this comparison's keys, or compared them in the step before
      odd_even_step<Key>(cells, threadIdx.x, count, size, distance, order);
    }
  __syncthreads();  // the last step is done
  for (unsigned j = threadIdx.x; j < count; j += block) out[first + j] = cells[j];
}

template <class Key, class Order>
__global__ void odd_even_sweep(global<Key> keys, std::uint64_t n, std::uint64_t size, std::uint64_t distance,
                               Order order) {
  odd_even_step<Key>(keys, std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x, n, size, distance, order);
}

// Comparisons of one step in which both keys are there.
inline double pairs_of_odd_even_step(double n, double size, double distance) {
  if (2 * distance == size) return pairs_of_step(n, distance);
  // In a group, all places of the lower halves of 2·distance but the first half are compared.
  const auto in_group = [=](double keys) {
    const double rest = std::fmod(keys, 2 * distance);
    return (keys - rest) / 2 + std::min(rest, distance) - std::min(keys, distance);
  };
  const double rest = std::fmod(n, size);
  return (n - rest) / size * in_group(size) + in_group(rest);
}

template <unsigned block = 512>
struct odd_even_merge : variant_defaults {
  static constexpr std::string_view name = "sort/odd-even-merge";
  static constexpr int year = 1968;
  static constexpr std::string_view source = "Batcher";
  static constexpr std::string_view teaches =
      "the network with fewer comparisons, whose pairs reach over every tile's border: a launch a step";
  static constexpr std::uint64_t tile = 2 * block, max_n = most_blocks * tile;
  static constexpr std::string_view limits = "integers of 4 or 8 bytes without values, by all their bits: not stable";
  static constexpr auto cannot = unstable_variant_cannot;
  static constexpr formula work{
      "near n·log2 n·(log2 n - 1)/4", [](double n) {
        double pairs = 0;
        each_bitonic_step(n, [&](double size, double distance) { pairs += pairs_of_odd_even_step(n, size, distance); });
        return pairs;
      }};
  static constexpr formula span{"⌈log2 n⌉(⌈log2 n⌉ + 1)/2", [](double n) { return log2_up(n) * (log2_up(n) + 1) / 2; }};
  static constexpr formula launches{"1, and log2 of the size for each doubling of 1024", [](double n) {
                                      double count = 1;
                                      for (double size = 2 * tile; size < 2 * n; size *= 2) count += std::log2(size);
                                      return count;
                                    }};
  static constexpr formula traffic{"at most 2n, and 2n for each further launch", [](double n) {
                                     double moved = 2 * n;
                                     each_bitonic_step(n, [&](double size, double distance) {
                                       if (size > tile) moved += 4 * pairs_of_odd_even_step(n, size, distance);
                                     });
                                     return moved;
                                   }};

  template <class Key, class Order, class Add, class Grid>
  static void run(Grid& grid, global<const Key> in, global<Key> out, std::uint64_t n, Order order, Add) {
    const std::uint64_t tiles = blocks_for(n, tile);
    grid.launch(odd_even_tiles<block, Key, Order>, tiles, block, in, out, n,
                static_cast<unsigned>(std::min(tile, std::bit_ceil(n))), order);
    for (std::uint64_t size = 2 * tile; size < 2 * n; size *= 2)
      for (std::uint64_t distance = size / 2; distance > 0; distance /= 2)
        grid.launch(odd_even_sweep<Key, Order>, tiles, block, out, n, size, distance, order);
  }
};

}  // namespace upsweep::textbook::sort_variants
