// vector-add/one-thread-per-element
//
// Source    article (part 2 of a web series on GPU programming); the year is that of CUDA, whose first kernel this is
//           everywhere.
// Teaches   a grid of threads, each finding its own element from its block and its place in it; the guard, since the
//           last block is not full.
// Work      n additions. Span 1. Launches 1.
// Wrong     nothing: nothing is shared and nothing is ordered, and memory bandwidth is the limit. What needs more
//           than this begins with reduce/sequential, where every thread wants the same sum.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::vector_add_variants {

template <class T, class Op>
__global__ void add_vectors(global<const T> a, global<const T> b, global<T> out, std::uint64_t n, Op op) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = op(a[i], b[i]);
}

template <unsigned block = 256>
struct one_thread_per_element : variant_defaults {
  static constexpr std::string_view name = "vector-add/one-thread-per-element";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "article";
  static constexpr std::string_view teaches = "a grid of threads, one an element, and the guard for the last block";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr formula work{"n", [](double n) { return n; }};
  static constexpr formula span{"1", [](double) { return 1.0; }};
  static constexpr formula launches{"1", [](double) { return 1.0; }};
  static constexpr formula traffic{"3n", [](double n) { return 3 * n; }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> a, global<const T> b, global<T> out, std::uint64_t n, Op op) {
    grid.launch(add_vectors<T, Op>, blocks_for(n, block), block, a, b, out, n, op);
  }
};

}  // namespace upsweep::textbook::vector_add_variants
