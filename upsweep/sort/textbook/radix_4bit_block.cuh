// sort/radix-4bit-block
//
// Source    N. Satish, M. Harris, M. Garland, Designing Efficient Sorting Algorithms for Manycore GPUs, 2009.
// Teaches   four bits a pass. A block first sorts its tile by the digit in shared memory, with four one-bit splits of
//           the rung before. Then keys of one digit lie side by side, and what a block scatters are 16 stretches, not
//           1024 single keys: the stores coalesce. Where each block's stretch of each digit goes is one scan of the
//           table of counts, all blocks' zeros first, then all their ones, and so on.
// Work      a pass takes a key's digit 8 times; 12676 additions a tile of 1024, and the scan of 16 counts a tile. 8
//           passes for keys of 4 bytes. Launches 3 to 5 a pass.
// Span      96 and the scan, in each pass.
// Wrong     a split for every bit: 4 block-wide scans with their barriers, where one ranking would do. Four own cells
//           side by side are bank conflicts of degree 4. And a key is read and written twice a pass.
// Fixed by  sort/radix-reduce-then-scan: eight bits a pass, ranked at once.
#pragma once

#include "upsweep/scan/textbook/scan_of_counts.cuh"
#include "upsweep/sort/textbook/sort_textbook_keys.hpp"

namespace upsweep::textbook::sort_variants {

inline constexpr unsigned digits_of_4 = 16;  // values of a digit of 4 bits

// Sorts each tile by one digit. counts[digit · tiles + tile] is how many keys of that digit it has, begins[tile · 16 +
// digit] the place of the first of them in the tile.
template <unsigned block, unsigned items, class Key, class Order, class Add>
__global__ void sort_tiles_by_digit(global<const Key> keys, global<Key> out, global<std::uint32_t> counts,
                                    global<std::uint32_t> begins, std::uint64_t n, unsigned first_bit, Order order,
                                    Add add) {
  constexpr unsigned tile = block * items, warps = block / 32;
  UPSWEEP_SHARED(Key, cells, tile);
  UPSWEEP_SHARED(std::uint32_t, warp_totals, warps);
  UPSWEEP_SHARED(std::uint32_t, begin, digits_of_4);
  UPSWEEP_SHARED(std::uint32_t, end, digits_of_4);
  const unsigned t = threadIdx.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile;
  const unsigned count = n - first < tile ? n - first : tile;
  for (unsigned j = t; j < count; j += block) cells[j] = keys[first + j];
  if (t < digits_of_4) {
    begin[t] = 0;
    end[t] = 0;
  }

  for (unsigned bit = first_bit; bit < first_bit + 4; ++bit) {
    __syncthreads();  // others have loaded, or moved, this thread's own keys, and have read the totals
    Key own[items];
    std::uint32_t zero[items];  // past the end all bits are 1, so that nothing is moved there
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      const unsigned j = t * items + k;
      zero[k] = 0;
      if (j >= count) continue;
      own[k] = cells[j];
      zero[k] = order.digit(own[k], bit, 1) == 0 ? 1 : 0;
    }
    std::uint32_t before = scan_variants::scan_threads<block>(warp_totals, scan_variants::sum_of_own(zero, add), add);
    const std::uint32_t zeros = warp_totals[warps - 1];
    // Every thread has taken its keys out of the cells: scan_threads has a barrier after that.
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      const unsigned j = t * items + k;
      if (j < count) cells[zero[k] != 0 ? before : zeros + (j - before)] = own[k];
      before = add(before, zero[k]);
    }
  }
  __syncthreads();  // the last split is written

  for (unsigned j = t; j < count; j += block) {
    const Key key = cells[j];
    const unsigned digit = order.digit(key, first_bit, 4);
    if (j == 0 || order.digit(cells[j - 1], first_bit, 4) != digit) begin[digit] = j;
    if (j == count - 1 || order.digit(cells[j + 1], first_bit, 4) != digit) end[digit] = j + 1;
    out[first + j] = key;
  }
  __syncthreads();  // whoever stood at the ends of a digit's stretch has written where they are
  if (t < digits_of_4) {
    const std::uint32_t where = begin[t];
    counts[std::uint64_t{t} * gridDim.x + blockIdx.x] = end[t] - where;
    begins[std::uint64_t{blockIdx.x} * digits_of_4 + t] = where;
  }
}

// `offsets` is the scan of the counts.
template <unsigned block, unsigned items, class Key, class Order>
__global__ void scatter_stretches(global<const Key> keys, global<Key> out, global<const std::uint32_t> offsets,
                                  global<const std::uint32_t> begins, std::uint64_t n, unsigned first_bit,
                                  Order order) {
  constexpr unsigned tile = block * items;
  UPSWEEP_SHARED(std::uint32_t, shift, digits_of_4);  // from a place in the tile to one in the output, modulo 2^32
  const unsigned t = threadIdx.x;
  if (t < digits_of_4)
    shift[t] = offsets[std::uint64_t{t} * gridDim.x + blockIdx.x] - begins[std::uint64_t{blockIdx.x} * digits_of_4 + t];
  __syncthreads();  // the first threads have written the shifts
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile;
  const unsigned count = n - first < tile ? n - first : tile;
  for (unsigned j = t; j < count; j += block) {
    const Key key = keys[first + j];
    out[static_cast<std::uint32_t>(j + shift[order.digit(key, first_bit, 4)])] = key;
  }
}

template <unsigned block = 256, unsigned items = 4>
struct radix_4bit_block : variant_defaults {
  static constexpr std::string_view name = "sort/radix-4bit-block";
  static constexpr int year = 2009;
  static constexpr std::string_view source = "Satish, Harris and Garland";
  static constexpr std::string_view teaches =
      "a tile is sorted by four bits in shared memory before it is scattered: stretches, not single keys";
  static constexpr std::uint64_t max_n = 0xffffffff;
  static constexpr std::string_view limits = "keys of 4 or 8 bytes without values; places are counted in 32 bits";
  static constexpr auto cannot = stable_variant_cannot;
  static constexpr bool by_digits = true;
  using scan = scan_variants::scan_of_counts<block>;
  static constexpr unsigned passes = 8, tile = block * items;
  static constexpr unsigned tile_work = 4 * (block * (2 * items - 1) + scan_variants::scan_threads_work<block>);
  static constexpr double tile_steps = 4 * (3 * items - 1 + 5 + log2_of(block / 32) + 1) + 3 * items;
  static constexpr formula work{"8 times 8n digits, 12674 a tile of 1024 and a scan of 16 a tile", [](double n) {
                                  const double tiles = ceil_div(n, tile);
                                  return passes * (8 * n - 2 * tiles + tiles * tile_work + scan::work(16 * tiles));
                                }};
  static constexpr formula span{"8 scans, and 96 a pass", [](double n) {
                                  return passes * (tile_steps + items + scan::steps(16 * ceil_div(n, tile)));
                                }};
  static constexpr formula launches{"3 or 5 a pass, 8 passes",
                                    [](double n) { return passes * (2 + scan::launches(16 * ceil_div(n, tile))); }};
  static constexpr formula traffic{"8 times 4n, 64 a tile and the scan", [](double n) {
                                     const double tiles = ceil_div(n, tile);
                                     return passes * (4 * n + 64 * tiles + scan::traffic(16 * tiles));
                                   }};

  template <class Key, class Order, class Add, class Grid>
  static void run(Grid& grid, global<const Key> in, global<Key> out, std::uint64_t n, Order order, Add add) {
    const std::uint64_t tiles = blocks_for(n, tile);
    global<std::uint32_t> counts = grid.template scratch<std::uint32_t>("counts", digits_of_4 * tiles),
                          offsets = grid.template scratch<std::uint32_t>("offsets", digits_of_4 * tiles),
                          begins = grid.template scratch<std::uint32_t>("begins", digits_of_4 * tiles);
    global<Key> sorted_tiles = grid.template scratch<Key>("sorted tiles", n);
    global<const Key> from = in;
    for (unsigned first_bit = 0; first_bit < 8 * sizeof(Key); first_bit += 4) {
      grid.launch(sort_tiles_by_digit<block, items, Key, Order, Add>, tiles, block, from, sorted_tiles, counts, begins,
                  n, first_bit, order, add);
      scan::run(grid, counts, offsets, digits_of_4 * tiles, add);
      grid.launch(scatter_stretches<block, items, Key, Order>, tiles, block, sorted_tiles, out, offsets, begins, n,
                  first_bit, order);
      from = out;
    }
  }
};

}  // namespace upsweep::textbook::sort_variants
