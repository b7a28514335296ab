// sort/merge-path
//
// Source    O. Green, R. McColl, D. Bader, GPU Merge Path: A GPU Merging Algorithm, 2012.
// Teaches   how to merge with every thread doing the same. A merge of a and b is a path from one corner of a grid to
//           the other, a step along a or along b for each key that comes next. Where the path crosses a diagonal is
//           found by a binary search, without walking there: so each block, and in it each thread, finds its own piece
//           of the output and merges that one key after the other.
// Work      at most 2.6 comparisons a key for each doubling, 1.6 of them to search: 11 for the seven keys of a thread.
//           O(n·log n) in all, and stable.
// Span      7 and log2 of a tile for each doubling. Launches: one for the tiles, and then one each doubling.
// Wrong     comparisons alone decide, so log2(n) bits are learned one a pass: at 2^26 keys, 16 passes beyond the tiles,
//           where radix sort makes four over keys of 4 bytes. But it takes any order, and any keys.
// Fixed by  nothing that compares; among the radix sorts, sort/onesweep.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"
#include "upsweep/sort/textbook/sort_textbook_keys.hpp"

namespace upsweep::textbook::sort_variants {

// How many of the first `diagonal` keys of the merge are of a; of equal keys those of a come first. Both are runs in
// `keys`, of a_count keys from a on and of b_count from b on.
template <class Key, class Keys, class Order>
__device__ std::uint64_t path_at(Keys& keys, std::uint64_t a, std::uint64_t a_count, std::uint64_t b,
                                 std::uint64_t b_count, std::uint64_t diagonal, Order order) {
  std::uint64_t low = diagonal > b_count ? diagonal - b_count : 0, high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    const Key of_a = keys[a + middle], of_b = keys[b + (diagonal - 1 - middle)];
    if (order.less(of_b, of_a)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// The `items` keys of the merge from the diagonal on, as many of them as there are, into registers.
template <unsigned items, class Key, class Keys, class Order>
__device__ void merge_own(Keys& cells, unsigned a, unsigned a_count, unsigned b, unsigned b_count, unsigned diagonal,
                          Key (&own)[items], Order order) {
  unsigned i = a + static_cast<unsigned>(path_at<Key>(cells, a, a_count, b, b_count, diagonal, order));
  unsigned j = b + (diagonal - (i - a));
  const unsigned a_end = a + a_count, b_end = b + b_count;
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    if (i >= a_end && j >= b_end) break;
    bool take_b = i >= a_end;
    if (i < a_end && j < b_end) take_b = order.less(cells[j], cells[i]);
    own[k] = cells[take_b ? j++ : i++];
  }
}

// Each thread sorts its own few keys by comparing neighbours, odd pairs and even pairs in turn; then the block merges
// runs of twice, four times, eight times as many.
template <unsigned block, unsigned items, class Key, class Order>
__global__ void merge_sort_tiles(global<const Key> keys, global<Key> out, std::uint64_t n, Order order) {
  constexpr unsigned tile = block * items;
  UPSWEEP_SHARED(Key, cells, tile);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile;
  const unsigned count = n - first < tile ? n - first : tile, mine = threadIdx.x * items;
  for (unsigned j = threadIdx.x; j < count; j += block) cells[j] = keys[first + j];
  __syncthreads();  // others have loaded this thread's own keys
  Key own[items];
#pragma unroll
  for (unsigned k = 0; k < items; ++k)
    if (mine + k < count) own[k] = cells[mine + k];
#pragma unroll
  for (unsigned round = 0; round < items; ++round)
#pragma unroll
    for (unsigned k = round % 2; k + 1 < items; k += 2)
      if (mine + k + 1 < count && order.less(own[k + 1], own[k])) {
        const Key larger = own[k];
        own[k] = own[k + 1];
        own[k + 1] = larger;
      }

  for (unsigned run = items; run < tile; run *= 2) {
    __syncthreads();  // others have taken their keys out of the cells that this thread writes
#pragma unroll
    for (unsigned k = 0; k < items; ++k)
      if (mine + k < count) cells[mine + k] = own[k];
    __syncthreads();  // the runs are written
    const unsigned a = mine / (2 * run) * 2 * run, b = a + run < count ? a + run : count;
    const unsigned end = a + 2 * run < count ? a + 2 * run : count;
    if (mine < count) merge_own(cells, a, b - a, b, end - b, mine - a, own, order);
  }

  __syncthreads();  // others have taken their keys out of the cells that this thread writes
#pragma unroll
  for (unsigned k = 0; k < items; ++k)
    if (mine + k < count) cells[mine + k] = own[k];
  __syncthreads();  // the tile is in order
  for (unsigned j = threadIdx.x; j < count; j += block) out[first + j] = cells[j];
}

// Merges runs of `run` keys, each sorted, two by two. A block writes one tile; runs are whole tiles, so it has its part
// of one pair of runs.
template <unsigned block, unsigned items, class Key, class Order>
__global__ void merge_runs(global<const Key> keys, global<Key> out, std::uint64_t n, std::uint64_t run, Order order) {
  constexpr unsigned tile = block * items;
  UPSWEEP_SHARED(Key, cells, tile);
  UPSWEEP_SHARED(std::uint64_t, crossing, 2);  // of the path, at the tile's first diagonal and at its last
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile, a = first / (2 * run) * 2 * run;
  const std::uint64_t b = a + run < n ? a + run : n, end = a + 2 * run < n ? a + 2 * run : n;
  const unsigned count = end - first < tile ? end - first : tile, t = threadIdx.x;
  if (t < 2) crossing[t] = path_at<Key>(keys, a, b - a, b, end - b, first - a + (t == 0 ? 0 : count), order);
  __syncthreads();  // the first two threads have found where the path crosses
  const std::uint64_t from_a = crossing[0], from_b = first - a - from_a;
  const unsigned a_count = static_cast<unsigned>(crossing[1] - from_a), b_count = count - a_count;
  for (unsigned j = t; j < count; j += block)
    cells[j] = keys[j < a_count ? a + from_a + j : b + from_b + (j - a_count)];
  __syncthreads();  // both parts are there
  Key own[items];
  const unsigned mine = t * items;
  if (mine < count) merge_own(cells, 0, a_count, a_count, b_count, mine, own, order);
  __syncthreads();  // others have taken their keys out of the cells that this thread writes
#pragma unroll
  for (unsigned k = 0; k < items; ++k)
    if (mine + k < count) cells[mine + k] = own[k];
  __syncthreads();  // the tile is merged
  for (unsigned j = t; j < count; j += block) out[first + j] = cells[j];
}

template <unsigned block = 256, unsigned items = 7>
struct merge_path : variant_defaults {
  static constexpr std::string_view name = "sort/merge-path";
  static constexpr int year = 2012;
  static constexpr std::string_view source = "Green, McColl and Bader";
  static constexpr std::string_view teaches =
      "a binary search tells each thread its own piece of the merge: n·log n, stable, and all threads busy";
  static constexpr std::uint64_t tile = block * items, max_n = most_blocks * tile;
  static constexpr std::string_view limits = "keys of 4 or 8 bytes without values";
  static constexpr auto cannot = stable_variant_cannot;
  static double passes(double n) { return log2_up(ceil_div(n, tile)); }
  // A search among s places takes at most this many comparisons.
  static double search(double places) { return std::floor(std::log2(std::max(1.0, places))) + 1; }
  static constexpr formula work{"at most 2.6n for each doubling", [](double n) {
                                  const double threads = ceil_div(n, items), tiles = ceil_div(n, tile);
                                  double most = threads * (items * (items - 1) / 2.0);
                                  for (double run = items; run < tile; run *= 2) most += n + threads * search(run);
                                  for (double run = tile; run < n; run *= 2)
                                    most += n + threads * search(tile) + tiles * 2 * search(run);
                                  return most;
                                }};
  static constexpr formula span{"7 and the searches, for each doubling", [](double n) {
                                  double steps = items * (items - 1) / 2.0;
                                  for (double run = items; run < tile; run *= 2) steps += items + search(run);
                                  for (double run = tile; run < n; run *= 2)
                                    steps += items + search(tile) + search(run);
                                  return steps;
                                }};
  static constexpr formula launches{"1 + ⌈log2(n/1792)⌉", [](double n) { return 1 + passes(n); }};
  static constexpr formula traffic{"at most 2n, and 2n and 4·log2 n a tile for each doubling of 1792", [](double n) {
                                     double moved = 2 * n;
                                     for (double run = tile; run < n; run *= 2)
                                       moved += 2 * n + ceil_div(n, tile) * 4 * search(run);
                                     return moved;
                                   }};

  template <class Key, class Order, class Add, class Grid>
  static void run(Grid& grid, global<const Key> in, global<Key> out, std::uint64_t n, Order order, Add) {
    const std::uint64_t tiles = blocks_for(n, tile);
    global<Key> other = grid.template scratch<Key>("other keys", n);
    // The last pass ends in `out`: so the tiles begin there if the passes are even.
    global<Key> from = std::bit_width(tiles - 1) % 2 == 0 ? out : other, to = from == out ? other : out;
    grid.launch(merge_sort_tiles<block, items, Key, Order>, tiles, block, in, from, n, order);
    for (std::uint64_t run = tile; run < n; run *= 2) {
      grid.launch(merge_runs<block, items, Key, Order>, tiles, block, from, to, n, run, order);
      std::swap(from, to);
    }
  }
};

}  // namespace upsweep::textbook::sort_variants
