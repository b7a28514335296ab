// nbody/register-blocked
//
// Source    the blocking of dense matrix products: V. Volkov, Better Performance at Lower Occupancy, 2010. For bodies:
//           K. Nitadori and others in the Gordon Bell entries of those years.
// Teaches   a thread has four bodies in registers, so that what it reads from the tile serves four interactions, which
//           do not wait for each other.
// Work      n² interactions and an addition a tile and body, the last thread's missing bodies included. Span 4n and the
//           tiles. Launches 1.
// Wrong     four times fewer threads: some 10^5 bodies before every multiprocessor of a large GPU is full.
// Fixed by  nbody/split-j.
#pragma once

#include "upsweep/nbody/textbook/nbody_pull.cuh"

namespace upsweep::textbook::nbody_variants {

// Bodies [begin, end) pull the four of each thread; slice s of several leaves its sums in out[s n, (s + 1) n).
template <unsigned block, unsigned bodies, class T, class Form, class Pull>
__global__ void pull_by_registers(global<const vec4<T>> in, global<vec4<T>> out, std::uint64_t n, std::uint64_t slice,
                                  T softening_squared, Form form, Pull pull) {
  UPSWEEP_SHARED(vec4<T>, tile, block);
  const std::uint64_t per_slice = (n + block * bodies - 1) / (block * bodies);
  const std::uint64_t s = blockIdx.x / per_slice, first = blockIdx.x % per_slice * block * bodies + threadIdx.x;
  const std::uint64_t end = (s + 1) * slice < n ? (s + 1) * slice : n;
  vec4<T> here[bodies], sum[bodies] = {};
#pragma unroll
  for (unsigned k = 0; k < bodies; ++k) here[k] = in[first + k * block < n ? first + k * block : n - 1];
  for (std::uint64_t begin = s * slice; begin < end; begin += block) {
    if (begin + threadIdx.x < end) tile[threadIdx.x] = in[begin + threadIdx.x];
    __syncthreads();  // others have loaded what this thread walks past
    const unsigned count = end - begin < block ? static_cast<unsigned>(end - begin) : block;
    vec4<T> part[bodies] = {};
    for (unsigned j = 0; j < count; ++j) {
      const vec4<T> there = tile[j];
#pragma unroll
      for (unsigned k = 0; k < bodies; ++k)
        pull(part[k], here[k], there, softening_squared, first + k * block == begin + j);
    }
#pragma unroll
    for (unsigned k = 0; k < bodies; ++k) pull.add(sum[k], part[k]);
    __syncthreads();  // others have walked past what this thread loads next
  }
#pragma unroll
  for (unsigned k = 0; k < bodies; ++k)
    if (first + k * block < n) out[s * n + first + k * block] = form(sum[k]);
}

template <unsigned block = 256, unsigned bodies = 4>
struct register_blocked : defaults {
  static constexpr std::string_view name = "nbody/register-blocked";
  static constexpr int year = 2010;
  static constexpr std::string_view source = "Volkov; Nitadori and others";
  static constexpr std::string_view teaches =
      "a thread has four bodies in registers: what it reads of the tile serves four interactions";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr formula work{"(n + ceil(n/256)) · 1024 ceil(n/1024)", [](double n) {
                                  return (n + ceil_div(n, block)) * block * bodies * ceil_div(n, block * bodies);
                                }};
  static constexpr formula span{"4(n + ceil(n/256))", [](double n) { return bodies * (n + ceil_div(n, block)); }};
  static constexpr formula launches{"1", [](double) { return 1.0; }};
  static constexpr formula traffic{"at most n ceil(n/1024) + 3n",
                                   [](double n) { return n * ceil_div(n, block * bodies) + 3 * n; }};

  template <class T, class Grid, class Pull>
  static void run(Grid& grid, global<const vec4<T>> in, global<vec4<T>> out, std::uint64_t n, T softening_squared,
                  result_form<T> form, Pull pull) {
    grid.launch(pull_by_registers<block, bodies, T, result_form<T>, Pull>, blocks_for(n, block * bodies), block, in,
                out, n, n, softening_squared, form, pull);
  }
};

}  // namespace upsweep::textbook::nbody_variants
