// Kernel decomposition, as kit and kaust have it: a block cannot wait for another, so each block reduces its own
// section to one value, and the values, in a second buffer, are reduced by the same kernel again. The end of a kernel
// is the barrier between the levels.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::reduce_variants {

// launch(in, out, n, blocks) reduces each section of `section` elements of `in` to one element of `out`.
template <class T, class Grid, class Launch>
void reduce_levels(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, std::uint64_t section,
                   Launch launch) {
  // A level reads what the last one wrote and writes the other buffer: ping and pong.
  global<T> ping = grid.template scratch<T>("ping", blocks_for(n, section));
  global<T> pong = grid.template scratch<T>("pong", blocks_for(blocks_for(n, section), section));
  for (;;) {
    const std::uint64_t blocks = blocks_for(n, section);
    if (blocks == 1) return launch(in, out, n, blocks);
    launch(in, ping, n, blocks);
    in = ping;
    n = blocks;
    std::swap(ping, pong);
  }
}

// f(elements, blocks), added up over the levels.
template <class F>
double over_levels(double n, double section, F f) {
  double sum = 0;
  for (;;) {
    const double blocks = ceil_div(n, section);
    sum += f(n, blocks);
    if (blocks <= 1) return sum;
    n = blocks;
  }
}

inline double levels(double n, double section) {
  return over_levels(n, section, [](double, double) { return 1.0; });
}

// Each level reads its elements and writes a value a block.
inline double levels_traffic(double n, double section) {
  return over_levels(n, section, [](double elements, double blocks) { return elements + blocks; });
}

}  // namespace upsweep::textbook::reduce_variants
