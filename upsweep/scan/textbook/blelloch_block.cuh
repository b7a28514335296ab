// scan/blelloch-block
//
// Source    harris2007, listing 2; kit, 2015; kaust; the algorithm is Blelloch's of 1990.
// Teaches   both sweeps in shared memory, two elements a thread, in place: a block goes to memory once each way. The
//           source scans one block; scan_kernel_decomposition.cuh makes it any n. The next two variants differ from
//           this one only in the position of a cell.
// Work      2(s - 1), and s - 1 swaps, a block of s = 2·block elements, and n - s to add the sums. Span 2·log2 s - 1
//           in the last level, log2 s and 1 more in every other. Launches 2 a level less 1.
// Wrong     the cells of a step are 2, 4, 8, … apart: bank conflicts double with each step, up to degree 32. Thread t
//           loads cells 2t and 2t + 1, which is a conflict too, and half-used sectors in global memory.
// Fixed by  scan/blelloch-padded.
#pragma once

#include "upsweep/scan/textbook/scan_kernel_decomposition.cuh"

namespace upsweep::textbook::scan_variants {

template <unsigned block, class T, class Op>
__global__ void scan_blelloch_block(global<const T> in, global<T> out, global<T> sums, std::uint64_t n, bool inclusive,
                                    Op op) {
  constexpr unsigned section = 2 * block;
  UPSWEEP_SHARED(T, cells, section + 1);  // the last one takes the section's sum
  const unsigned t = threadIdx.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * section;
  const unsigned a = 2 * t, b = 2 * t + 1;
  cells[a] = first + a < n ? in[first + a] : identity_of<T>(op);
  cells[b] = first + b < n ? in[first + b] : identity_of<T>(op);

  unsigned s = 1;
#pragma unroll 1  // nvcc would give the step of neighbouring cells code of its own that reads both at once
  for (unsigned nodes = block; nodes > 0; nodes /= 2, s *= 2) {
    __syncthreads();  // others have loaded, or written one step further down, this node's children
    if (t < nodes) {
      const unsigned left = s * (2 * t + 1) - 1, right = left + s;
      cells[right] = op(cells[left], cells[right]);
    }
  }
  if (t == 0) {  // this thread also wrote the root
    const T sum = cells[section - 1];
    sums[blockIdx.x] = sum;
    cells[section] = sum;
    cells[section - 1] = identity_of<T>(op);
  }
#pragma unroll 1
  for (unsigned nodes = 1; nodes <= block; nodes *= 2) {
    s /= 2;
    __syncthreads();  // the thread one step further up has handed this node the sum of all before it
    if (t < nodes) {
      const unsigned left = s * (2 * t + 1) - 1, right = left + s;
      const T left_sum = cells[left], before = cells[right];
      cells[left] = before;
      cells[right] = op(before, left_sum);  // in this order: the operator need not commute
    }
  }
  __syncthreads();  // the leaves are written

  const unsigned shift = inclusive ? 1 : 0;
  if (first + a < n) out[first + a] = cells[a + shift];
  if (first + b < n) out[first + b] = cells[b + shift];
}

template <unsigned block = 1024>
struct blelloch_block : variant_defaults {
  static constexpr std::string_view name = "scan/blelloch-block";
  static constexpr int year = 1990;
  static constexpr std::string_view source = "harris2007, kit, kaust";
  static constexpr std::string_view teaches =
      "both sweeps in shared memory, two elements a thread: bank conflicts up to degree 32";
  static constexpr unsigned section =
      2 * block;  // 2048 cells: fewer never show the conflict that the doubly padded variant removes
  static constexpr std::uint64_t max_n = most_blocks * section;
  static constexpr formula work{"4094 a block of 2048 elements and n - 2048 to add the sums, over all levels",
                                [](double n) { return levels_work(n, section, 2 * (section - 1)); }};
  static constexpr formula span{"21 in a level and 12 in every other", [](double n) {
                                  return levels_span(n, section, log2_of(section), 2 * log2_of(section) - 1);
                                }};
  static constexpr formula launches{"2⌈log2048 n⌉ - 1", [](double n) { return levels_launches(n, section); }};
  static constexpr formula traffic{"4n and 2 a block, over all levels",
                                   [](double n) { return levels_traffic(n, section); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    scan_levels<T>(
        grid, in, out, n, op, inclusive, section,
        [&](global<const T> from, global<T> to, global<T> sums, std::uint64_t count, bool incl, std::uint64_t blocks) {
          grid.launch(scan_blelloch_block<block, T, Op>, blocks, block, from, to, sums, count, incl, op);
        });
  }
};

}  // namespace upsweep::textbook::scan_variants
