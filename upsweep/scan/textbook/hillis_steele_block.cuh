// scan/hillis-steele-block
//
// Source    harris2007, listing 1; kaust; the algorithm is Hillis and Steele's of 1986.
// Teaches   the doubling window in shared memory, one element a thread, double-buffered: a step reads one half of the
//           cells and writes the other, so one barrier a step is enough. The source scans one block;
//           scan_kernel_decomposition.cuh makes it any n.
// Work      block·log2 block - (block - 1) a block, identities of a part-filled one included, and n - block to add
//           the sums: 8 times the sequential work. Span log2 block a level going up, 1 a level coming down. Launches
//           2 a level less 1.
// Wrong     still n log n work within the block, a barrier a step, and twice the shared memory.
// Fixed by  scan/kogge-stone-warp (no barriers within a warp), scan/sklansky (half the work), scan/blelloch-block
//           (linear work).
// Errata    the listing adds into the wrong buffer: both terms must come from the one being read. Its last line is a
//           typing error. It is exclusive by shifting right on load, which loses each section's last element and with
//           it the sum that the next section needs; here the shift is at the store.
#pragma once

#include "upsweep/scan/textbook/scan_kernel_decomposition.cuh"

namespace upsweep::textbook::scan_variants {

template <unsigned block, class T, class Op>
__global__ void scan_hillis_steele_block(global<const T> in, global<T> out, global<T> sums, std::uint64_t n,
                                         bool inclusive, Op op) {
  UPSWEEP_SHARED(T, cells, 2 * block);
  const unsigned t = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * block + t;
  unsigned from = 0, to = block;
  cells[from + t] = i < n ? in[i] : identity_of<T>(op);
  __syncthreads();  // each thread has loaded its cell
  for (unsigned window = 1; window < block; window *= 2) {
    T x = cells[from + t];
    if (t >= window) x = op(cells[from + t - window], x);
    cells[to + t] = x;
    __syncthreads();  // every thread has written `to`, read next, and has read `from`, written next
    const unsigned read = from;
    from = to;
    to = read;
  }
  if (i < n) {
    if (inclusive) {
      out[i] = cells[from + t];
    } else {
      out[i] = t > 0 ? cells[from + t - 1] : identity_of<T>(op);
    }
  }
  if (t == 0) sums[blockIdx.x] = cells[from + block - 1];
}

template <unsigned block = 256>
struct hillis_steele_block : variant_defaults {
  static constexpr std::string_view name = "scan/hillis-steele-block";
  static constexpr int year = 1986;
  static constexpr std::string_view source = "harris2007, kaust";
  static constexpr std::string_view teaches =
      "the doubling window in shared memory, double-buffered, and kernel decomposition";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr formula work{"1793 a block of 256 and n - 256 to add the sums, over all levels",
                                [](double n) { return levels_work(n, block, block * log2_of(block) - (block - 1)); }};
  static constexpr formula span{"9 a level, less 1",
                                [](double n) { return levels_span(n, block, log2_of(block), log2_of(block)); }};
  static constexpr formula launches{"2⌈log256 n⌉ - 1", [](double n) { return levels_launches(n, block); }};
  static constexpr formula traffic{"4n and 2 a block, over all levels",
                                   [](double n) { return levels_traffic(n, block); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    scan_levels<T>(
        grid, in, out, n, op, inclusive, block,
        [&](global<const T> from, global<T> to, global<T> sums, std::uint64_t count, bool incl, std::uint64_t blocks) {
          grid.launch(scan_hillis_steele_block<block, T, Op>, blocks, block, from, to, sums, count, incl, op);
        });
  }
};

}  // namespace upsweep::textbook::scan_variants
