// sort/quicksort
//
// Source    article, which announces it as its next step; C. A. R. Hoare, Quicksort, 1962; D. Cederman and P. Tsigas,
//           GPU-Quicksort, 2009, for blocks that share a partition.
// Teaches   what a scan is for, and how to do without recursion. A round partitions all segments of a work list at
//           once:
//           each tile scans its flags and reserves its part of the segment's two ends by an atomic. The parts of a
//           segment make the list of the next round, on the device; the host launches rounds and never looks.
// Work      2 comparisons a key and round; about log2(n/1024) rounds have work to do. Then n·55/2 in networks.
// Span      some 100 a round, and 55 for each small segment that a block sorts.
// Worst     equal keys: three ways, and those equal to the pivot are done. Sorted, reversed and other regular orders:
//           the pivot is the median of 32 keys, one from each 32nd of the segment, at a place drawn by a hash. Bad
//           luck: the rounds are half as many again as halving takes, and 4; a segment that outlasts them is sorted by
//           one block with the bitonic network, which is slow, and right.
// Wrong     every round moves all keys twice, there and back, to learn one bit of their order; launches without work
//           are the price of a host that does not look; and it is not stable.
// Fixed by  sort/merge-path among those that compare.
// Differs   Cederman and Tsigas go back to the host between rounds, until each block has a part of its own. Which keys
//           come to lie where within a part is a matter of timing, there and here.
#pragma once

#include "upsweep/scan/textbook/scan_tile.cuh"
#include "upsweep/sort/textbook/bitonic.cuh"

namespace upsweep::textbook::sort_variants {

// The segments of a round, each cut into tiles.
template <class Key>
struct work_list {
  global<std::uint32_t> segments, tiles;  // how many
  global<std::uint64_t> begin, end;       // of each segment
  global<std::uint64_t> less, greater;    // how many keys have been put at its ends
  global<Key> pivot;
  global<std::uint32_t> first_tile;
  global<std::uint32_t> segment_of_tile;
};
// Those that one block sorts in the end.
struct small_list {
  global<std::uint32_t> segments;
  global<std::uint64_t> begin, end;
};

// The murmur hash's last steps: every bit of the place depends on every bit of the seed.
__device__ inline std::uint64_t hashed(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccd;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53;
  return x ^ (x >> 33);
}

// By one warp: the median of 32 of the segment's keys.
template <class Key, class Order>
__device__ Key choose_pivot(global<const Key> keys, std::uint64_t begin, std::uint64_t end, Order order) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t stretch = (end - begin) / 32;
  const Key mine = keys[begin + lane * stretch + hashed(begin ^ hashed(end + lane)) % stretch];
  unsigned before = 0;
  for (unsigned other = 0; other < 32; ++other) {
    const Key its = __shfl_sync(whole_warp, mine, static_cast<int>(other));
    before += (other < lane ? !order.less(mine, its) : order.less(its, mine)) ? 1 : 0;
  }
  const unsigned median = __ballot_sync(whole_warp, before == 16);  // one lane: equal keys stand in the lanes' order
  return __shfl_sync(whole_warp, mine, __ffs(static_cast<int>(median)) - 1);
}

// By one warp: puts a segment on the list where it belongs. Atomics are relaxed: the lists are read by later launches.
template <unsigned tile, unsigned small, class Key, class Order>
__device__ void enlist(global<const Key> keys, std::uint64_t begin, std::uint64_t end, work_list<Key> list,
                       small_list small_ones, Order order) {
  const unsigned lane = threadIdx.x % 32;
  if (end - begin < 2) return;
  if (end - begin <= small) {
    if (lane != 0) return;
    const std::uint32_t s = atomicAdd(small_ones.segments, 1u);
    small_ones.begin[s] = begin;
    small_ones.end[s] = end;
    return;
  }
  const Key pivot = choose_pivot(keys, begin, end, order);
  const std::uint32_t tiles = static_cast<std::uint32_t>((end - begin + tile - 1) / tile);
  std::uint32_t s = 0, first = 0;
  if (lane == 0) {
    s = atomicAdd(list.segments, 1u);
    first = atomicAdd(list.tiles, tiles);
    list.begin[s] = begin;
    list.end[s] = end;
    list.less[s] = 0;
    list.greater[s] = 0;
    list.pivot[s] = pivot;
    list.first_tile[s] = first;
  }
  s = __shfl_sync(whole_warp, s, 0);
  first = __shfl_sync(whole_warp, first, 0);
  for (std::uint32_t k = lane; k < tiles; k += 32) list.segment_of_tile[first + k] = s;
}

template <unsigned tile, unsigned small, class Key, class Order>
__global__ void enlist_all(global<const Key> keys, std::uint64_t n, work_list<Key> list, small_list small_ones,
                           Order order) {
  enlist<tile, small>(keys, 0, n, list, small_ones, order);
}

// A block a tile: keys less than the pivot to the next free places at the segment's beginning, greater ones to those at
// its end.
template <unsigned block, unsigned items, class Key, class Order, class Add>
__global__ void partition_tiles(global<const Key> keys, global<Key> out, work_list<Key> list, Order order, Add add) {
  constexpr unsigned warps = block / 32;
  UPSWEEP_SHARED(std::uint32_t, warp_totals, warps);
  UPSWEEP_SHARED(std::uint64_t, reserved, 2);
  if (blockIdx.x >= list.tiles[0]) return;  // the whole block leaves
  const std::uint32_t s = list.segment_of_tile[blockIdx.x];
  const std::uint64_t begin = list.begin[s], end = list.end[s];
  const std::uint64_t first = begin + std::uint64_t{blockIdx.x - list.first_tile[s]} * (block * items);
  const Key pivot = list.pivot[s];

  // Flags of both sides share a word: a tile has fewer than 2^16 keys, so that one scan places both.
  constexpr std::uint32_t is_less = 1, is_greater = 1u << 16;
  Key own[items];
  std::uint32_t flag[items];
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    const std::uint64_t i = first + k * block + threadIdx.x;
    flag[k] = 0;
    if (i >= end) continue;
    own[k] = keys[i];
    if (order.less(own[k], pivot)) {
      flag[k] = is_less;
    } else if (order.less(pivot, own[k])) {
      flag[k] = is_greater;
    }
  }
  std::uint32_t before = scan_variants::scan_threads<block>(warp_totals, scan_variants::sum_of_own(flag, add), add);
  if (threadIdx.x == 0) {
    const std::uint32_t total = warp_totals[warps - 1];
    // Relaxed: whose places come first does not matter, only that nobody has the same.
    reserved[0] = begin + atomicAdd(list.less + s, std::uint64_t{total % is_greater});
    reserved[1] = end - 1 - atomicAdd(list.greater + s, std::uint64_t{total / is_greater});
  }
  __syncthreads();  // thread 0 has reserved the places
  const std::uint64_t upward = reserved[0], downward = reserved[1];
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    if (flag[k] == is_less) out[upward + before % is_greater] = own[k];
    if (flag[k] == is_greater) out[downward - before / is_greater] = own[k];
    before = add(before, flag[k]);
  }
}

// Takes the parts back; between them come the keys equal to the pivot, of which there is no need to know more.
template <unsigned block, unsigned items, class Key>
__global__ void take_back(global<const Key> parts, global<Key> keys, work_list<Key> list) {
  if (blockIdx.x >= list.tiles[0]) return;
  const std::uint32_t s = list.segment_of_tile[blockIdx.x];
  const std::uint64_t end = list.end[s], less_end = list.begin[s] + list.less[s], greater_begin = end - list.greater[s];
  const std::uint64_t first = list.begin[s] + std::uint64_t{blockIdx.x - list.first_tile[s]} * (block * items);
  const Key pivot = list.pivot[s];
  for (unsigned j = threadIdx.x; j < block * items && first + j < end; j += block) {
    const std::uint64_t i = first + j;
    keys[i] = i < less_end || i >= greater_begin ? static_cast<Key>(parts[i]) : pivot;
  }
}

// A warp a segment: its two parts go on the lists.
template <unsigned block, unsigned tile, unsigned small, class Key, class Order>
__global__ void enlist_parts(global<const Key> keys, work_list<Key> list, work_list<Key> next, small_list small_ones,
                             Order order) {
  const std::uint64_t s = std::uint64_t{blockIdx.x} * (block / 32) + threadIdx.x / 32;
  if (s >= list.segments[0]) return;
  const std::uint64_t begin = list.begin[s], end = list.end[s];
  enlist<tile, small>(keys, begin, begin + list.less[s], next, small_ones, order);
  enlist<tile, small>(keys, end - list.greater[s], end, next, small_ones, order);
}

template <unsigned block, class Key, class Order>
__global__ void sort_small_ones(global<Key> keys, small_list list, Order order) {
  constexpr unsigned most = 2 * block;
  UPSWEEP_SHARED(Key, cells, most);
  for (std::uint32_t s = blockIdx.x; s < list.segments[0]; s += gridDim.x) {
    const std::uint64_t begin = list.begin[s];
    const unsigned count = static_cast<unsigned>(list.end[s] - begin);
    for (unsigned j = threadIdx.x; j < count; j += block) cells[j] = keys[begin + j];
    unsigned padded = 2;
    while (padded < count) padded *= 2;
    sort_in_block<block, Key>(cells, count, padded, order);
    __syncthreads();  // the last step is done
    for (unsigned j = threadIdx.x; j < count; j += block) keys[begin + j] = cells[j];
    // The next load waits for nobody: a thread loads the cells that it stored itself.
  }
}

// What has outlasted the rounds, a block a segment, with the network of sort/bitonic in global memory.
template <unsigned block, class Key, class Order>
__global__ void sort_leftovers(global<Key> keys, work_list<Key> list, Order order) {
  for (std::uint32_t s = blockIdx.x; s < list.segments[0]; s += gridDim.x) {
    const global<Key> segment = keys + list.begin[s];
    const std::uint64_t count = list.end[s] - list.begin[s];
    for (std::uint64_t size = 2; size < 2 * count; size *= 2)
      for (std::uint64_t distance = size / 2; distance > 0; distance /= 2) {
        for (std::uint64_t t = threadIdx.x; 2 * t < count; t += block)
          merge_step<Key>(segment, t, count, size, distance, order);
        __syncthreads();  // the step is done before the next begins
      }
  }
}

template <unsigned block = 512, unsigned items = 8, unsigned most_rounds = 1000>
struct quicksort : variant_defaults {
  static constexpr std::string_view name = "sort/quicksort";
  static constexpr int year = 1962;
  static constexpr std::string_view source = "article; Hoare; Cederman and Tsigas";
  static constexpr std::string_view teaches =
      "partition by scan, three ways; in place of recursion a work list, which stays on the device";
  static constexpr unsigned tile = block * items, small = 2 * block;
  static constexpr std::uint64_t max_n = std::uint64_t{1} << 36;
  static constexpr std::string_view limits =
      "integers of 4 or 8 bytes without values, by all their bits: not stable; as many as the grids of its rounds take";
  static constexpr auto cannot = unstable_variant_cannot;

  static double rounds(double n) {
    return n > small ? std::min<double>(most_rounds, std::ceil(1.5 * std::log2(n / small)) + 4) : 0;
  }
  static double most_segments(double n) { return std::ceil(n / small); }
  static double most_tiles(double n) { return std::ceil(n / tile) + most_segments(n); }
  static double most_small_ones(double n) { return 2 * rounds(n) * most_segments(n) + 1; }
  static constexpr double small_steps = log2_of(small) * (log2_of(small) + 1) / 2;

  static constexpr formula work{
      "at most 2n and 1024 a segment in a round, and 28n; unless a segment outlasts the rounds", [](double n) {
        constexpr double of_tile = block * (2 * items - 1) + scan_variants::scan_threads_work<block>;
        return rounds(n) * (2 * n + most_tiles(n) * of_tile) + (rounds(n) + 1) * most_segments(n) * 1024 +
               n / 2 * small_steps;
      }};
  static constexpr formula span{"some 100 a round, and 55 a small segment of a block", [](double n) {
                                  constexpr double of_tile = 4 * items - 1 + 5 + log2_of(block / 32) + 1;
                                  return 32 + rounds(n) * (of_tile + 2 * 32) +
                                         ceil_div(most_small_ones(n), most_segments(n)) * small_steps;
                                }};
  static constexpr formula launches{"3 a round of 1.5·log2(n/1024) + 4, and 4",
                                    [](double n) { return 3 + 3 * rounds(n) + (rounds(n) > 0 ? 1 : 0); }};
  static constexpr formula traffic{
      "at most 4n, some words a tile and 32 a segment in a round, and 4n", [](double n) {
        return 4 * n + rounds(n) * (4 * n + 20 * block / 32 * most_tiles(n) + 100 * most_segments(n)) +
               10 * most_segments(n) * (1 + rounds(n));
      }};

  template <class Key, class Order, class Add, class Grid>
  static void run(Grid& grid, global<const Key> in, global<Key> out, std::uint64_t n, Order order, Add add) {
    const auto of = [&](double (*f)(double)) { return static_cast<std::uint64_t>(f(static_cast<double>(n))); };
    const std::uint64_t turns = of(rounds), segments = of(most_segments), tiles = of(most_tiles),
                        small_segments = of(most_small_ones);
    // Counters: the small ones, and a pair for each round's list.
    const std::uint64_t counters = 1 + 2 * (turns + 1);
    global<std::uint32_t> counter = grid.template scratch<std::uint32_t>("counters", counters);
    const small_list small_ones{counter, grid.template scratch<std::uint64_t>("small begins", small_segments),
                                grid.template scratch<std::uint64_t>("small ends", small_segments)};
    const auto list_of = [&](std::uint64_t round) {
      const std::string whose = round % 2 == 0 ? " of even rounds" : " of odd rounds";
      const auto places = [&](const char* what) {
        return grid.template scratch<std::uint64_t>(what + whose, segments);
      };
      return work_list<Key>{counter + (1 + 2 * round),
                            counter + (2 + 2 * round),
                            places("begins"),
                            places("ends"),
                            places("less"),
                            places("greater"),
                            grid.template scratch<Key>("pivots" + whose, segments),
                            grid.template scratch<std::uint32_t>("first tiles" + whose, segments),
                            grid.template scratch<std::uint32_t>("tiles" + whose, tiles)};
    };
    global<Key> parts = grid.template scratch<Key>("parts", n);

    if (global<const Key> keys = out; keys != in) grid.copy(out, in, n);
    grid.launch(clear_cells<std::uint32_t>, blocks_for(counters, 256), 256, counter, counters);
    grid.launch(enlist_all<tile, small, Key, Order>, 1, 32, out, n, list_of(0), small_ones, order);
    for (std::uint64_t round = 0; round < turns; ++round) {
      const work_list<Key> list = list_of(round);
      grid.launch(partition_tiles<block, items, Key, Order, Add>, tiles, block, out, parts, list, order, add);
      grid.launch(take_back<block, items, Key>, tiles, block, parts, out, list);
      grid.launch(enlist_parts<block, tile, small, Key, Order>, blocks_for(segments, block / 32), block, out, list,
                  list_of(round + 1), small_ones, order);
    }
    if (turns > 0)
      grid.launch(sort_leftovers<block, Key, Order>, std::min<std::uint64_t>(segments, 1024), block, out,
                  list_of(turns), order);
    grid.launch(sort_small_ones<block, Key, Order>, segments, block, out, small_ones, order);
  }
};

}  // namespace upsweep::textbook::sort_variants
