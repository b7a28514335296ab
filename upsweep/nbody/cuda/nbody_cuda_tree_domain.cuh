// Kernels of one rank of a communicator for its domain of the tree, apart from building and walking it
// (nbody_cuda_tree.cuh): they move bodies that enter and leave, select the cells that the walks of other ranks need,
// and insert the cells that come from other ranks.
#pragma once

#include "upsweep/nbody/cuda/nbody_cuda_tree.cuh"
#include "upsweep/nbody/nbody_domain_steps.hpp"

namespace upsweep::textbook::nbody_tree {

using detail::nbody_impl::bodies_in_box;
using detail::nbody_impl::body_box;
using detail::nbody_impl::box_test;
using detail::nbody_impl::not_here;

template <class T>
__global__ void bring_rows(global<const vec4<T>> rows, global<const std::uint32_t> places, std::uint64_t base,
                           std::uint64_t count, global<vec4<T>> out) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const vec4<T> row = rows[places[i] - base];
  out[i] = row;
}

template <class T>
__global__ void put_rows(global<const vec4<T>> rows, global<const std::uint32_t> places, std::uint64_t base,
                         std::uint64_t count, global<vec4<T>> out) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const vec4<T> row = rows[i];
  out[places[i] - base] = row;
}

template <class T>
__global__ void find_listed_moments(global<const vec4<T>> bodies, global<const cell_range> cells,
                                    global<cell_centre<T>> centres, global<moments<T>> found, global<box<T>> boxes,
                                    global<const std::uint32_t> list, std::uint32_t count) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) find_moments_of(bodies, cells, centres, found, boxes, list[k]);
}

// A warp for each box of the bodies [first, end). If the place of one of them is not finite, the box is NaN, and may
// open all cells.
template <class T>
__global__ void find_body_boxes(global<const vec4<T>> bodies, std::uint64_t first, std::uint64_t end,
                                global<const T> sizes, bool sized, global<body_box<T>> boxes, std::uint32_t count) {
  const std::uint32_t b = blockIdx.x * cuda_walking_warps + threadIdx.x / 32;
  if (b >= count) return;  // all lanes
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t begin = first + b * bodies_in_box, stop = lesser(end, begin + bodies_in_box);
  const vec4<T> start = bodies[begin];
  body_box<T> all{{start.x, start.y, start.z}, {start.x, start.y, start.z}, sizeof(T) == 4 ? T(3e38) : T(1e308)};
  T nowhere[3] = {0, 0, 0};
  for (std::uint64_t i = begin + lane; i < stop; i += 32) {
    const vec4<T> body = bodies[i];
    const T at[3] = {body.x, body.y, body.z};
    for (int a = 0; a < 3; ++a) {
      all.lower[a] = lesser(all.lower[a], at[a]), all.upper[a] = greater(all.upper[a], at[a]);
      nowhere[a] += at[a] - at[a];
    }
    if (sized) all.least = lesser(all.least, static_cast<T>(sizes[i]));
  }
  all.least = least_in_warp(all.least);
  for (int a = 0; a < 3; ++a) {
    for (int step = 16; step > 0; step /= 2) nowhere[a] += __shfl_xor_sync(whole_warp, nowhere[a], step);
    all.lower[a] = least_in_warp(all.lower[a]) + nowhere[a], all.upper[a] = nowhere[a] - least_in_warp(-all.upper[a]);
  }
  if (lane == 0) boxes[b] = all;
}

// Whether a group of the box may open the cell. The walk computes the distance from numbers not larger than the widest
// coordinate, with a few roundings. Here the distance is reduced by more than these roundings, and the values computed
// from it increase with it.
template <class T>
__device__ bool may_be_opened(const body_box<T>& b, const cell_centre<T>& centre, T error_mass,
                              const box_test<T>& test) {
  constexpr T within_rounding = sizeof(T) == 4 ? T(1) - T(4e-6) : T(1) - T(8e-15);
  if (centre.open_within == 0) return false;
  const T at[3] = {centre.x, centre.y, centre.z};
  T square = 0;
  for (int a = 0; a < 3; ++a) {
    const T apart = greater(b.lower[a] - at[a], at[a] - b.upper[a]) - test.margin;
    if (!(apart - apart == 0)) return true;
    if (apart > 0) square += apart * apart;
  }
  square *= within_rounding;
  if (!(square > centre.open_within)) return true;
  if (!test.relative) return false;
  return !(error_mass <= test.criterion * b.least * square * square * (test.quadrupoles ? sqrt(square) : T(1)));
}

// A warp walks for each box, from the seeds: the first cells of those from `first` on. Bit owners[b] of a cell's
// `words` words says that box b may open it.
template <class T>
__global__ void mark_opened(global<const cell_range> cells, global<const cell_centre<T>> centres,
                            global<const moments<T>> found, std::uint32_t first, std::uint32_t seeds,
                            global<const body_box<T>> boxes, global<const std::uint32_t> owners, std::uint32_t count,
                            box_test<T> test, std::uint32_t words, global<std::uint32_t> opened) {
  UPSWEEP_SHARED(std::uint32_t, all_waiting, most_waiting* cuda_walking_warps);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const shared_pointer<std::uint32_t> waiting = all_waiting + warp * most_waiting;
  const std::uint32_t b = blockIdx.x * cuda_walking_warps + warp;
  if (b >= count) return;  // all lanes
  const body_box<T> mine = boxes[b];
  const std::uint32_t owner = owners[b];
  for (std::uint32_t seed = 0; seed < seeds; seed += 32) {
    unsigned depth = lesser(seeds - seed, 32u);
    if (lane < depth) waiting[lane] = first + seed + lane;
    __syncwarp();  // the seeds wait
    while (depth > 0) {
      const unsigned margin = depth < crowded ? (crowded - depth) / 7 + 1 : 1,
                     at_once = lesser(lesser(depth, 32u), margin);
      const bool has = lane < at_once;
      std::uint32_t c = 0;
      if (has) c = waiting[depth - 1 - lane];
      depth -= at_once;
      __syncwarp();  // those taken are read
      cell_range cell{};
      if (has) {
        const cell_centre<T> centre = centres[c];
        const moments<T> its = found[c];
        if (may_be_opened(mine, centre, its.error_mass, test)) {
          cell = cells[c];
          // Threads may set the bit in any order; it is read after this launch has ended.
          atomicOr(opened + (std::uint64_t{c - first} * words + owner / 32), 1u << owner % 32);
        }
      }
      unsigned before = cell.children;
      for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned left = __shfl_up_sync(whole_warp, before, step);
        if (lane >= step) before += left;
      }
      const unsigned all = __shfl_sync(whole_warp, before, 31);
      before -= cell.children;
      for (unsigned k = 0; k < cell.children; ++k) waiting[depth + before + k] = cell.child + k;
      depth += all;
      __syncwarp();  // what waits is written
    }
  }
}

__device__ inline bool is_opened(global<const std::uint32_t> opened, std::uint32_t k, std::uint32_t words,
                                 std::uint32_t rank) {
  return static_cast<std::uint32_t>(opened[std::uint64_t{k} * words + rank / 32]) >> rank % 32 & 1;
}

template <class Index>
__global__ void count_sent(global<const cell_range> cells, global<const std::uint32_t> opened, Index first, Index count,
                           Index words, Index rank, global<std::uint64_t> counts) {
  const Index k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k > count) return;
  std::uint64_t sent = 0;
  if (k < count && is_opened(opened, k, words, rank)) {
    const cell_range cell = cells[first + k];
    sent = cell.children ? cell.children : std::uint64_t{cell.end - cell.first} << 32;
  }
  counts[k] = sent;
}

// A cell in the form that is sent: for an opened cell, the place where its children, or its bodies, begin in the sent
// data.
__device__ inline cell_range cell_to_send(global<const cell_range> cells, global<const std::uint32_t> opened,
                                          global<const std::uint64_t> before, std::uint32_t first, std::uint32_t k,
                                          std::uint32_t seeds, std::uint32_t words, std::uint32_t rank) {
  if (!is_opened(opened, k, words, rank)) return {not_here, not_here, 0, 0};
  const cell_range cell = cells[first + k];
  const std::uint64_t at = before[k];
  if (cell.children) return {not_here, not_here, seeds + static_cast<std::uint32_t>(at), cell.children};
  const auto body = static_cast<std::uint32_t>(at >> 32);
  return {body, body + (cell.end - cell.first), 0, 0};
}

// The seeds, and then the children of each cell that is opened, in the order of these; and the bodies of leaves.
template <class T>
__global__ void pack_cells(global<const cell_range> cells, global<const cell_centre<T>> centres,
                           global<const moments<T>> found, global<const vec4<T>> bodies,
                           global<const std::uint32_t> opened, std::uint32_t first, std::uint32_t count,
                           std::uint32_t seeds, std::uint32_t words, std::uint32_t rank,
                           global<const std::uint64_t> before, global<cell_range> to, global<cell_centre<T>> centres_to,
                           global<moments<T>> found_to, global<vec4<T>> bodies_to) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  const auto send = [&](std::uint32_t from, std::uint32_t place) {
    const cell_centre<T> centre = centres[first + from];
    const moments<T> m = found[first + from];
    to[place] = cell_to_send(cells, opened, before, first, from, seeds, words, rank);
    centres_to[place] = centre;
    found_to[place] = m;
  };
  if (k < seeds) send(k, k);
  if (!is_opened(opened, k, words, rank)) return;
  const cell_range cell = cells[first + k];
  const std::uint64_t at = before[k];
  for (std::uint32_t child = 0; child < cell.children; ++child)
    send(cell.child - first + child, seeds + static_cast<std::uint32_t>(at) + child);
  if (cell.children == 0)
    for (std::uint32_t i = cell.first; i < cell.end; ++i) {
      const vec4<T> body = bodies[i];
      bodies_to[(at >> 32) + (i - cell.first)] = body;
    }
}

// Cells that came, to where they are walked.
template <class T>
__global__ void take_in(global<const cell_range> came, global<const cell_centre<T>> centres_came,
                        global<const moments<T>> found_came, std::uint32_t count,
                        global<const std::uint32_t> seed_places, std::uint32_t seeds, std::uint32_t cell_base,
                        std::uint32_t body_base, std::uint32_t nobody, global<cell_range> cells,
                        global<cell_centre<T>> centres, global<moments<T>> found) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  cell_range cell = came[i];
  if (cell.children)
    cell.child += cell_base - seeds;
  else if (cell.first == not_here)
    cell.first = nobody, cell.end = nobody + 1;
  else
    cell.first += body_base, cell.end += body_base;
  std::uint32_t to = cell_base + (i - seeds);
  if (i < seeds) to = seed_places[i];
  const cell_centre<T> centre = centres_came[i];
  const moments<T> m = found_came[i];
  cells[to] = cell;
  centres[to] = centre;
  found[to] = m;
}

}  // namespace upsweep::textbook::nbody_tree
