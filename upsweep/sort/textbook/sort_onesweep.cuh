// sort/onesweep
//
// Source    A. Adinets, D. Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs, NVIDIA, 2022.
// Teaches   a pass reads and writes each key once. One sweep over the keys counts the digits of all passes; in a pass a
//           tile learns where its keys of each digit go by looking back over its predecessors, a look-back for each of
//           the 256 digits, while they work. And the tile is put in order in shared memory before it goes out, so that
//           keys of one digit leave side by side.
// Work      a key's digits are taken 12 times: all four to count them, and one twice in each of four passes. 3681
//           additions a tile of 4096 and pass, and for each digit at least one a tile to look back. Launches 7.
// Span      the prefix of a tile's digit follows on that of the tile before: 2 a tile and pass, and 300.
// Wrong     it needs blocks that once started make progress. Each thread looks back one tile at a time. A digit's 30
//           bits of prefix share a word with 2 bits of state, which ends at 2^30 keys. Passes whose digit is the same
//           in all keys move them all the same, and small sorts pay for seven launches.
// Fixed by  the library's sort.
// Differs   one launch clears the states of all passes, each of which has its own.
#pragma once

#include "upsweep/scan/textbook/scan_tile.cuh"
#include "upsweep/sort/textbook/sort_rank.cuh"

namespace upsweep::textbook::sort_variants {

// A word of state: nothing is known of a tile's digit, or its count, or the count of all tiles up to it.
inline constexpr std::uint32_t count_known = 1u << 30, prefix_known = 2u << 30, value_bits = (1u << 30) - 1;

// histograms[pass · 256 + digit], of all passes at once.
template <unsigned block, class Key, class Order>
__global__ void count_all_digits(global<const Key> keys, global<std::uint32_t> histograms, std::uint64_t n,
                                 Order order) {
  constexpr unsigned passes = sizeof(Key);
  UPSWEEP_SHARED(std::uint32_t, counts, passes* digits_of_8);
  for (unsigned c = threadIdx.x; c < passes * digits_of_8; c += block) counts[c] = 0;
  __syncthreads();  // the counts are zero
  const std::uint64_t step = std::uint64_t{gridDim.x} * block;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block + threadIdx.x; i < n; i += step) {
    const Key key = keys[i];
#pragma unroll
    for (unsigned pass = 0; pass < passes; ++pass)
      atomicAdd(counts + (pass * digits_of_8 + order.digit(key, pass * 8, 8)), 1u);  // relaxed: barriers order it
  }
  __syncthreads();  // all of the block's keys are counted
  for (unsigned c = threadIdx.x; c < passes * digits_of_8; c += block) {
    const std::uint32_t count = counts[c];
    if (count > 0) atomicAdd(histograms + c, count);  // relaxed: it is read by the next launch
  }
}

// A block of 256 threads a pass: where each digit's keys begin.
template <class Add>
__global__ void scan_histograms(global<std::uint32_t> histograms, Add add) {
  UPSWEEP_SHARED(std::uint32_t, warp_totals, digits_of_8 / 32);
  const unsigned c = blockIdx.x * digits_of_8 + threadIdx.x;
  const std::uint32_t count = histograms[c];
  histograms[c] = scan_variants::scan_threads<digits_of_8>(warp_totals, count, add);
}

// How many keys of one digit the tiles before have. `states` is that digit's word of tile 0; those of a tile are 256.
template <class Add>
__device__ std::uint32_t look_back(global<std::uint32_t> states, std::uint64_t tile, Add add) {
  std::uint32_t sum = 0;
  for (;;) {
    --tile;
    std::uint32_t state = 0;
    do {
      state = load_relaxed(states + tile * digits_of_8);  // relaxed: the word is all that is read
    } while (state == 0);
    sum = add(sum, state & value_bits);
    if ((state & prefix_known) != 0) return sum;  // tile 0 always knows its prefix
  }
}

template <unsigned block, unsigned items, class Key, class Order, class Add>
__global__ void sort_one_sweep(global<const Key> keys, global<Key> out, global<const std::uint32_t> starts,
                               global<std::uint32_t> states, global<std::uint32_t> ticket, std::uint64_t n,
                               unsigned first_bit, Order order, Add add) {
  constexpr unsigned warps = block / 32, tile_size = block * items, each = digits_of_8 / block;
  UPSWEEP_SHARED(Key, cells, tile_size);
  UPSWEEP_SHARED(std::uint32_t, warp_counts, warps* digits_of_8);
  UPSWEEP_SHARED(std::uint32_t, warp_totals, warps);
  UPSWEEP_SHARED(std::uint32_t, shift, digits_of_8);  // from a place in the tile to one in the output, modulo 2^32
  UPSWEEP_SHARED(std::uint32_t, my_tile, 1);
  const unsigned t = threadIdx.x, warp = t / 32;
  // Blocks start in no promised order; whoever draws a ticket has started, and so have all with a smaller one.
  if (t == 0) my_tile[0] = atomicAdd(ticket, 1u);
  for (unsigned c = t; c < warps * digits_of_8; c += block) warp_counts[c] = 0;
  __syncthreads();  // thread 0 has drawn the ticket, and the counts are zero
  const std::uint64_t tile = my_tile[0], first = tile * tile_size;
  const unsigned count = n - first < tile_size ? n - first : tile_size;

  Key key[items];
  unsigned digit[items];
  std::uint32_t rank[items];
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    const unsigned j = place_in_tile<items>(k);
    digit[k] = digits_of_8;
    if (j >= count) continue;
    key[k] = keys[first + j];
    digit[k] = order.digit(key[k], first_bit, 8);
  }
  rank_in_warp(warp_counts, digit, rank);
  __syncthreads();  // every warp has counted its keys

  // Thread t has the digits t·each and up. Their counts are made known at once, before anybody is waited for.
  std::uint32_t total[each];
#pragma unroll
  for (unsigned k = 0; k < each; ++k) {
    const unsigned d = t * each + k;
    total[k] = scan_over_warps<warps>(warp_counts, d, add);
    store_relaxed(states + (tile * digits_of_8 + d), total[k] | (tile == 0 ? prefix_known : count_known));
  }
  std::uint32_t begin = scan_variants::scan_threads<block>(warp_totals, scan_variants::sum_of_own(total, add), add);
#pragma unroll
  for (unsigned k = 0; k < each; ++k) {
    const unsigned d = t * each + k;
    for (unsigned w = 0; w < warps; ++w) warp_counts[w * digits_of_8 + d] = begin + warp_counts[w * digits_of_8 + d];
    std::uint32_t before = 0;
    if (tile > 0) {
      before = look_back(states + d, tile, add);
      store_relaxed(states + (tile * digits_of_8 + d), add(before, total[k]) | prefix_known);
    }
    shift[d] = starts[d] + before - begin;
    begin = add(begin, total[k]);
  }
  __syncthreads();  // where each warp's keys of each digit begin in the tile is known

#pragma unroll
  for (unsigned k = 0; k < items; ++k)
    if (digit[k] < digits_of_8) cells[warp_counts[warp * digits_of_8 + digit[k]] + rank[k]] = key[k];
  __syncthreads();  // the tile is in order
  for (unsigned j = t; j < count; j += block) {
    const Key next = cells[j];
    out[static_cast<std::uint32_t>(j + shift[order.digit(next, first_bit, 8)])] = next;
  }
}

template <unsigned block = 256, unsigned items = 16>
struct onesweep : variant_defaults {
  static_assert(block <= digits_of_8);
  static constexpr std::string_view name = "sort/onesweep";
  static constexpr int year = 2022;
  static constexpr std::string_view source = "Adinets and Merrill";
  static constexpr std::string_view teaches =
      "a tile looks back for each of its 256 digits: every pass reads and writes a key once";
  static constexpr std::uint64_t max_n = value_bits;
  static constexpr std::string_view limits = "keys of 4 or 8 bytes without values; places are counted in 30 bits";
  static constexpr auto cannot = stable_variant_cannot;
  static constexpr bool by_digits = true;
  static constexpr unsigned passes = 4, tile = block * items, warps = block / 32, each = digits_of_8 / block;
  static constexpr std::uint64_t most_counting_blocks = 1024;  // each adds its counts to the one histogram
  static constexpr unsigned tile_work =
      warps * digits_of_8 + block * (each - 1) + scan_variants::scan_threads_work<block> + digits_of_8;
  static constexpr formula work{
      "at least 12n, 3681 a tile of 4096 and pass, and 512 a tile to look back; timing decides how far tiles look back",
      [](double n) {
        const double tiles = ceil_div(n, tile);
        return passes * (3 * n + scan_variants::scan_threads_work<digits_of_8> + tiles * tile_work +
                         (tiles - 1) * 2 * digits_of_8);
      }};
  static constexpr formula span{"2 a tile and pass, and 300", [](double n) {
                                  const double tiles = ceil_div(n, tile),
                                               per_thread = ceil_div(n, std::min(tiles, 1024.0) * block);
                                  constexpr double in_tile = 2 * items + each * (warps + 2) + 5 + log2_of(warps) + 1;
                                  return passes * per_thread + 9 + passes * (in_tile + each * 2 * tiles);
                                }};
  static constexpr formula launches{"7", [](double) { return 3.0 + passes; }};
  static constexpr formula traffic{"at least 9n, and 2048 a tile", [](double n) {
                                     const double tiles = ceil_div(n, tile);
                                     return passes * (2 * n + 1024 * tiles) + n;
                                   }};

  template <class Key, class Order, class Add, class Grid>
  static void run(Grid& grid, global<const Key> in, global<Key> out, std::uint64_t n, Order order, Add add) {
    constexpr unsigned key_passes = sizeof(Key);
    const std::uint64_t tiles = blocks_for(n, tile), states_a_pass = tiles * digits_of_8;
    const std::uint64_t words = key_passes * (1 + digits_of_8 + states_a_pass);
    global<std::uint32_t> tickets = grid.template scratch<std::uint32_t>("state", words),
                          histograms = tickets + key_passes, states = histograms + key_passes * digits_of_8;
    global<Key> other = grid.template scratch<Key>("other keys", n);
    grid.launch(clear_cells<std::uint32_t>, blocks_for(words, 256), 256, tickets, words);
    grid.launch(count_all_digits<block, Key, Order>, std::min(tiles, most_counting_blocks), block, in, histograms, n,
                order);
    grid.launch(scan_histograms<Add>, key_passes, digits_of_8, histograms, add);
    global<const Key> from = in;
    for (unsigned pass = 0; pass < key_passes; ++pass) {
      const global<Key> to = pass % 2 == 0 ? other : out;
      grid.launch(sort_one_sweep<block, items, Key, Order, Add>, tiles, block, from, to,
                  histograms + pass * digits_of_8, states + pass * states_a_pass, tickets + pass, n, pass * 8, order,
                  add);
      from = to;
    }
  }
};

}  // namespace upsweep::textbook::sort_variants
