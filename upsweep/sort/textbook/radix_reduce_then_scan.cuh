// sort/radix-reduce-then-scan
//
// Source    D. Merrill and A. Grimshaw, Revisiting Sorting for GPGPU Stream Architectures, 2010; the ranking by a match
//           within a warp is of Volta and later.
// Teaches   eight bits a pass, four passes. Each block counts its tile's digits (reduce), one scan of the table of
//           counts says where each tile's keys of each digit begin (scan), each block ranks its keys and puts them
//           there (downsweep). A warp ranks 32 keys by one match: no split, and no block-wide scan at all.
// Work      a pass takes a key's digit twice; 2048 additions a tile, and the scan of 256 counts a tile of 4096. 4
//           passes for keys of 4 bytes. Launches 3 to 5 a pass.
// Span      40 a pass and its scan.
// Wrong     the keys go out in the order in which they came: a warp's stores touch up to 32 places. They are read
//           twice, and the table is written, scanned and read before the first of them moves.
// Fixed by  sort/onesweep.
#pragma once

#include "upsweep/scan/textbook/scan_of_counts.cuh"
#include "upsweep/sort/textbook/sort_rank.cuh"

namespace upsweep::textbook::sort_variants {

// counts[digit · tiles + tile]
template <unsigned block, unsigned items, class Key, class Order>
__global__ void count_digits(global<const Key> keys, global<std::uint32_t> counts, std::uint64_t n, unsigned first_bit,
                             Order order) {
  UPSWEEP_SHARED(std::uint32_t, tile_counts, digits_of_8);
  for (unsigned d = threadIdx.x; d < digits_of_8; d += block) tile_counts[d] = 0;
  __syncthreads();  // the counts are zero
  const std::uint64_t first = std::uint64_t{blockIdx.x} * block * items;
  for (unsigned j = threadIdx.x; j < block * items && first + j < n; j += block)
    // Relaxed: the barrier orders it.
    atomicAdd(tile_counts + order.digit(keys[first + j], first_bit, 8), 1u);
  __syncthreads();  // all keys are counted
  for (unsigned d = threadIdx.x; d < digits_of_8; d += block)
    counts[std::uint64_t{d} * gridDim.x + blockIdx.x] = tile_counts[d];
}

// `offsets` is the scan of the counts.
template <unsigned block, unsigned items, class Key, class Order, class Add>
__global__ void scatter_by_digit(global<const Key> keys, global<Key> out, global<const std::uint32_t> offsets,
                                 std::uint64_t n, unsigned first_bit, Order order, Add add) {
  constexpr unsigned warps = block / 32;
  UPSWEEP_SHARED(std::uint32_t, warp_counts, warps* digits_of_8);
  for (unsigned c = threadIdx.x; c < warps * digits_of_8; c += block) warp_counts[c] = 0;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * block * items;
  Key key[items];
  unsigned digit[items];
  std::uint32_t rank[items];
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    const std::uint64_t i = first + place_in_tile<items>(k);
    digit[k] = digits_of_8;
    if (i >= n) continue;
    key[k] = keys[i];
    digit[k] = order.digit(key[k], first_bit, 8);
  }
  __syncthreads();  // the counts are zero
  rank_in_warp(warp_counts, digit, rank);
  __syncthreads();  // every warp has counted its keys
  for (unsigned d = threadIdx.x; d < digits_of_8; d += block) {
    scan_over_warps<warps>(warp_counts, d, add);
    const std::uint32_t offset = offsets[std::uint64_t{d} * gridDim.x + blockIdx.x];
    for (unsigned warp = 0; warp < warps; ++warp)
      warp_counts[warp * digits_of_8 + d] = offset + warp_counts[warp * digits_of_8 + d];
  }
  __syncthreads();  // where each warp's keys of each digit begin is known
  const unsigned warp = threadIdx.x / 32;
#pragma unroll
  for (unsigned k = 0; k < items; ++k)
    if (digit[k] < digits_of_8) out[warp_counts[warp * digits_of_8 + digit[k]] + rank[k]] = key[k];
}

template <unsigned block = 256, unsigned items = 16>
struct radix_reduce_then_scan : variant_defaults {
  static constexpr std::string_view name = "sort/radix-reduce-then-scan";
  static constexpr int year = 2010;
  static constexpr std::string_view source = "Merrill and Grimshaw";
  static constexpr std::string_view teaches =
      "eight bits a pass: count the digits of each tile, scan the table of counts, rank by a match and scatter";
  static constexpr std::uint64_t max_n = 0xffffffff;
  static constexpr std::string_view limits = "keys of 4 or 8 bytes without values; places are counted in 32 bits";
  static constexpr auto cannot = stable_variant_cannot;
  static constexpr bool by_digits = true;
  using scan = scan_variants::scan_of_counts<block>;
  static constexpr unsigned passes = 4, tile = block * items, warps = block / 32;
  static double table(double n) { return digits_of_8 * ceil_div(n, tile); }
  static constexpr formula work{"4 times 2n digits, 2048 a tile of 4096 and a scan of 256 a tile",
                                [](double n) { return passes * (2 * n + warps * table(n) + scan::work(table(n))); }};
  static constexpr formula span{"4 scans, and 40 a pass", [](double n) {
                                  constexpr double each = std::max(1u, digits_of_8 / block) * warps;
                                  return passes * (2 * items + each + scan::steps(table(n)));
                                }};
  static constexpr formula launches{"3 or 5 a pass, 4 passes",
                                    [](double n) { return passes * (2 + scan::launches(table(n))); }};
  static constexpr formula traffic{"4 times 3n, 512 a tile and the scan",
                                   [](double n) { return passes * (3 * n + 2 * table(n) + scan::traffic(table(n))); }};

  template <class Key, class Order, class Add, class Grid>
  static void run(Grid& grid, global<const Key> in, global<Key> out, std::uint64_t n, Order order, Add add) {
    sort_bits<Key>(grid, in, out, n, 8 * sizeof(Key), order, add);
  }

  // Sorts by the lowest bits alone, a multiple of 16: an even number of passes ends in `out`.
  template <class Key, class Order, class Add, class Grid>
  static void sort_bits(Grid& grid, global<const Key> in, global<Key> out, std::uint64_t n, unsigned bits, Order order,
                        Add add) {
    const std::uint64_t tiles = blocks_for(n, tile);
    global<std::uint32_t> counts = grid.template scratch<std::uint32_t>("counts", digits_of_8 * tiles),
                          offsets = grid.template scratch<std::uint32_t>("offsets", digits_of_8 * tiles);
    global<Key> other = grid.template scratch<Key>("other keys", n);
    global<const Key> from = in;
    for (unsigned first_bit = 0; first_bit < bits; first_bit += 8) {
      const global<Key> to = first_bit % 16 == 0 ? other : out;
      grid.launch(count_digits<block, items, Key, Order>, tiles, block, from, counts, n, first_bit, order);
      scan::run(grid, counts, offsets, digits_of_8 * tiles, add);
      grid.launch(scatter_by_digit<block, items, Key, Order, Add>, tiles, block, from, to, offsets, n, first_bit, order,
                  add);
      from = to;
    }
  }
};

}  // namespace upsweep::textbook::sort_variants
