// Barnes and Hut's tree on CUDA, in the words of upsweep/cuda/textbook_definitions.cuh, so that the lens runs it as
// well. The cells are those of tree.hpp.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"
#include "upsweep/nbody/cuda/nbody_cuda_tuning.hpp"
#include "upsweep/nbody/cuda/nbody_pair.cuh"
#include "upsweep/nbody/nbody_tree.hpp"
#include "upsweep/nbody/nbody_tree_keys.hpp"
#include "upsweep/nbody/nbody_tree_times.hpp"

namespace upsweep::textbook::nbody_tree {

using detail::nbody_impl::cell_centre;
using detail::nbody_impl::cell_range;
using detail::nbody_impl::cuda_group;
using detail::nbody_impl::cuda_leaf;
using detail::nbody_impl::cuda_patience;
using detail::nbody_impl::cuda_walking_warps;
using detail::nbody_impl::key_cube;
using detail::nbody_impl::tree_part;
using detail::nbody_impl::vec4;
using detail::nbody_impl::kernels::pull;
using detail::nbody_impl::kernels::pull_by_cell;
using detail::nbody_impl::kernels::second_moments;

// ---- keys

template <class T>
struct box {
  T lower[3], upper[3];
};

template <class T>
__device__ T lesser(T a, T b) {
  return b < a ? b : a;
}
template <class T>
__device__ T greater(T a, T b) {
  return a < b ? b : a;
}

// Block b's bodies are b, b + blocks, …, times its threads; it leaves their bounds in bounds[b].
template <unsigned block, class T>
__global__ void find_bounds(global<const vec4<T>> in, std::uint64_t n, global<box<T>> bounds) {
  UPSWEEP_SHARED(box<T>, cells, block);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * block + threadIdx.x;
  const vec4<T> start = in[first < n ? first : n - 1];
  box<T> all{{start.x, start.y, start.z}, {start.x, start.y, start.z}};
  for (std::uint64_t i = first + std::uint64_t{gridDim.x} * block; i < n; i += std::uint64_t{gridDim.x} * block) {
    const vec4<T> body = in[i];
    const T at[3] = {body.x, body.y, body.z};
    for (int a = 0; a < 3; ++a) all.lower[a] = lesser(all.lower[a], at[a]), all.upper[a] = greater(all.upper[a], at[a]);
  }
  cells[threadIdx.x] = all;
  for (unsigned half = block / 2; half > 0; half /= 2) {
    __syncthreads();  // the bounds of this step's right half are written
    if (threadIdx.x < half) {
      const box<T> other = cells[threadIdx.x + half];
      for (int a = 0; a < 3; ++a)
        all.lower[a] = lesser(all.lower[a], other.lower[a]), all.upper[a] = greater(all.upper[a], other.upper[a]);
      cells[threadIdx.x] = all;
    }
  }
  if (threadIdx.x == 0) bounds[blockIdx.x] = all;
}

template <class T>
__global__ void take_sample(global<const vec4<T>> in, std::uint64_t n, global<vec4<T>> sample, unsigned count) {
  const unsigned s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= count) return;
  const vec4<T> body = in[s * n / count];
  sample[s] = body;
}

template <class T>
__global__ void find_keys(global<const vec4<T>> in, std::uint64_t n, key_cube cube, global<std::uint64_t> keys) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const vec4<T> body = in[i];
  keys[i] = detail::nbody_impl::key_of(cube, body.x, body.y, body.z);
}

template <class T>
__global__ void gather_bodies(global<const vec4<T>> in, global<const std::uint32_t> order, std::uint64_t n,
                              global<vec4<T>> out) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t from = order[i];
  const vec4<T> body = in[from];
  out[i] = body;
}

// ---- cells

// Calls f(first, end) for each child of a range of bodies: those whose keys have the same digit where the first and
// last key first differ; equal parts where all keys are one.
template <class F>
__device__ void for_each_child(global<const std::uint64_t> keys, std::uint32_t first, std::uint32_t end, const F& f) {
  const std::uint64_t low = keys[first], high = keys[end - 1], differing = low ^ high;
  if (differing == 0) {
    const std::uint32_t part = (end - first + 7) / 8;
    for (; first < end; first += part) f(first, lesser(end, first + part));
    return;
  }
  int shift = 60;
  while ((differing >> shift) == 0) shift -= 3;
  while (first < end) {
    const std::uint64_t digit = static_cast<std::uint64_t>(keys[first]) >> shift;
    std::uint32_t from = first + 1, to = end;  // the first key of another digit is in [from, to]
    while (from < to) {
      const std::uint32_t middle = from + (to - from) / 2;
      if (static_cast<std::uint64_t>(keys[middle]) >> shift == digit)
        from = middle + 1;
      else
        to = middle;
    }
    f(first, from);
    first = from;
  }
}

template <class Index>
__global__ void set_root(global<cell_range> cells, Index n) {
  cells[0] = cell_range{0, n, 0, 0};
}

// Counts the children of `count` cells from `first` on. counts[count] = 0, so the exclusive scan of the counts ends
// with their sum.
template <class Index>
__global__ void count_children(global<const std::uint64_t> keys, global<const cell_range> cells, Index first,
                               Index count, global<std::uint32_t> counts) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k > count) return;
  std::uint32_t children = 0;
  if (k < count) {
    const cell_range cell = cells[first + k];
    if (cell.end - cell.first > cuda_leaf)
      for_each_child(keys, cell.first, cell.end, [&](std::uint32_t, std::uint32_t) { ++children; });
  }
  counts[k] = children;
}

template <class Index>
__global__ void write_children(global<const std::uint64_t> keys, global<cell_range> cells, Index first, Index count,
                               global<const std::uint32_t> offsets) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  cell_range cell = cells[first + k];
  const std::uint32_t from = offsets[k], to = offsets[k + 1];
  cell.child = first + count + from, cell.children = to - from;
  cells[first + k] = cell;
  if (cell.children == 0) return;
  std::uint32_t child = cell.child;
  for_each_child(keys, cell.first, cell.end,
                 [&](std::uint32_t begin, std::uint32_t end) { cells[child++] = cell_range{begin, end, 0, 0}; });
}

// ---- moments

template <class T>
struct alignas(16) moments {
  second_moments<T> second;
  T mass, error_mass;  // error: mass · (size / 2)³, or ² for single masses
};

// How cells are taken. θ = 0: never, but for cells without extent.
template <class T>
struct opening {
  T theta;
  bool quadrupoles;
};

// A cell's moments are those of its bodies or children: first its mass and their centre, then the second moments about
// it.
template <class T>
__device__ void find_moments_of(global<const vec4<T>> bodies, global<const cell_range> cells,
                                global<cell_centre<T>> centres, global<moments<T>> found, global<box<T>> boxes,
                                std::uint32_t c) {
  const cell_range cell = cells[c];
  const bool leaf = cell.children == 0;
  const std::uint32_t begin = leaf ? cell.first : cell.child, end = leaf ? cell.end : cell.child + cell.children;
  const auto part_at = [&](std::uint32_t i) {
    if (leaf) return static_cast<vec4<T>>(bodies[i]);
    const cell_centre<T> centre = centres[i];
    const moments<T> m = found[i];
    return vec4<T>{centre.x, centre.y, centre.z, m.mass};
  };
  const vec4<T> start = part_at(begin);
  box<T> all{{start.x, start.y, start.z}, {start.x, start.y, start.z}};
  // Relative to the first, so that little is rounded away.
  T mass = 0, x = 0, y = 0, z = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const vec4<T> part = part_at(i);
    mass += part.w;
    x += part.w * (part.x - start.x), y += part.w * (part.y - start.y), z += part.w * (part.z - start.z);
    box<T> one{{part.x, part.y, part.z}, {part.x, part.y, part.z}};
    if (!leaf) one = boxes[i];
    for (int a = 0; a < 3; ++a)
      all.lower[a] = lesser(all.lower[a], one.lower[a]), all.upper[a] = greater(all.upper[a], one.upper[a]);
  }
  cell_centre<T> centre{all.lower[0] / 2 + all.upper[0] / 2, all.lower[1] / 2 + all.upper[1] / 2,
                        all.lower[2] / 2 + all.upper[2] / 2, 0};
  if (mass > 0) {
    // Rounding must not move a point's centre off the point.
    centre.x = lesser(greater(start.x + x / mass, all.lower[0]), all.upper[0]);
    centre.y = lesser(greater(start.y + y / mass, all.lower[1]), all.upper[1]);
    centre.z = lesser(greater(start.z + z / mass, all.lower[2]), all.upper[2]);
  }
  moments<T> m{{}, mass, 0};
  for (std::uint32_t i = begin; i < end; ++i) {
    const vec4<T> part = part_at(i);
    const T dx = part.x - centre.x, dy = part.y - centre.y, dz = part.z - centre.z, mx = part.w * dx, my = part.w * dy;
    second_moments<T> own{};
    if (!leaf) own = static_cast<moments<T>>(found[i]).second;
    m.second.xx += mx * dx + own.xx, m.second.xy += mx * dy + own.xy, m.second.xz += mx * dz + own.xz;
    m.second.yy += my * dy + own.yy, m.second.yz += my * dz + own.yz, m.second.zz += part.w * dz * dz + own.zz;
  }
  centres[c] = centre;
  found[c] = m;
  boxes[c] = all;
}

template <class T>
__global__ void find_moments(global<const vec4<T>> bodies, global<const cell_range> cells,
                             global<cell_centre<T>> centres, global<moments<T>> found, global<box<T>> boxes,
                             std::uint32_t first, std::uint32_t count) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) find_moments_of(bodies, cells, centres, found, boxes, first + k);
}

// Sets the opening distance of each cell, which depends on the opening criterion.
template <class T>
__global__ void set_openings(global<cell_centre<T>> centres, global<moments<T>> found, global<const box<T>> boxes,
                             std::uint32_t count, opening<T> how) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= count) return;
  constexpr T never = sizeof(T) == 4 ? T(3e38) : T(1e308), too_wide = sizeof(T) == 4 ? T(1e12) : T(1e90);
  cell_centre<T> centre = centres[c];
  moments<T> m = found[c];
  const box<T> b = boxes[c];
  const T at[3] = {centre.x, centre.y, centre.z};
  T size = 0, furthest = 0;  // from the centre to a corner: within it the series need not converge
  for (int a = 0; a < 3; ++a) {
    size = greater(size, b.upper[a] - b.lower[a]);
    const T corner = greater(b.upper[a] - at[a], at[a] - b.lower[a]);
    furthest += corner * corner;
  }
  const T half = size / 2, within = how.theta > 0 ? size / how.theta : never;
  m.error_mass = m.mass * half * half * (how.quadrupoles ? half : T(1));
  centre.open_within = size == 0 ? T(0) : how.theta > 0 && size < too_wide ? greater(within * within, furthest) : never;
  centres[c] = centre;
  found[c] = m;
}

// ---- the walk

template <class T>
struct walk_form {
  T softening_squared, gravity, criterion;
  bool quadrupoles, potentials;
  bool relative;             // to the least acceleration in `sizes`
  bool measures;             // writes accelerations' sizes instead of the accelerations
  bool in_tree_order;        // writes them from `first` on in the order of the tree, else in the bodies' original order
  std::uint64_t first, end;  // the bodies that walk, in the order of the tree
};

inline constexpr unsigned listed = 64;  // masses, and cells, that a warp lists before its bodies meet them
inline constexpr unsigned
    most_waiting = 1024,
    crowded = 576;  // cells that a warp has not looked at yet: from this number on it looks at one at a time,
                    // and a tree of 64 levels adds at most 7 a level

template <class T>
__device__ T least_in_warp(T x) {
  for (int step = 16; step > 0; step /= 2) x = lesser(x, __shfl_xor_sync(whole_warp, x, step));
  return x;
}

// A warp walks the tree for 64 bodies, two a lane. It looks at up to 32 cells at once, one a lane. Cells that are far
// enough from the box of all 64 bodies are listed. The others are opened or, for a leaf, their bodies are listed. Lists
// are in the order of lanes, so sums repeat bit for bit.
template <bool plain, class T>
__global__ void walk_groups(global<const vec4<T>> bodies, global<const std::uint32_t> order, std::uint64_t n,
                            global<const cell_range> cells, global<const cell_centre<T>> centres,
                            global<const moments<T>> found, global<T> sizes, global<vec4<T>> out, walk_form<T> form,
                            unsigned patience) {
  UPSWEEP_SHARED(std::uint32_t, all_waiting, most_waiting* cuda_walking_warps);
  UPSWEEP_SHARED(vec4<T>, all_masses, listed * cuda_walking_warps);
  UPSWEEP_SHARED(vec4<T>, all_centres, listed * cuda_walking_warps);
  UPSWEEP_SHARED(second_moments<T>, all_moments, listed * cuda_walking_warps);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const shared_pointer<std::uint32_t> waiting = all_waiting + warp * most_waiting;
  const shared_pointer<vec4<T>> masses = all_masses + warp * listed, listed_centres = all_centres + warp * listed;
  const shared_pointer<second_moments<T>> listed_moments = all_moments + warp * listed;
  const std::uint64_t group_first = form.first + (std::uint64_t{blockIdx.x} * cuda_walking_warps + warp) * cuda_group;
  if (group_first >= form.end) return;  // all lanes
  const std::uint64_t group_end = group_first + cuda_group < n ? group_first + cuda_group : n;

  vec4<T> here[2], sum[2] = {};
  T least_size = 0;
  for (unsigned k = 0; k < 2; ++k) {
    const std::uint64_t i = group_first + lane + 32 * k;
    here[k] = bodies[i < n ? i : n - 1];
  }
  if (form.relative) {
    least_size = sizes[group_first + lane < n ? group_first + lane : n - 1];
    least_size = least_in_warp(
        lesser(least_size, static_cast<T>(sizes[group_first + lane + 32 < n ? group_first + lane + 32 : n - 1])));
  }
  // The box of the group: its middle and half its extent.
  const T lower[3] = {least_in_warp(lesser(here[0].x, here[1].x)), least_in_warp(lesser(here[0].y, here[1].y)),
                      least_in_warp(lesser(here[0].z, here[1].z))};
  const T upper[3] = {-least_in_warp(lesser(-here[0].x, -here[1].x)), -least_in_warp(lesser(-here[0].y, -here[1].y)),
                      -least_in_warp(lesser(-here[0].z, -here[1].z))};
  T middle[3], half[3];
  for (int a = 0; a < 3; ++a) {
    middle[a] = lower[a] / 2 + upper[a] / 2;
    half[a] = greater(upper[a] - middle[a], middle[a] - lower[a]);
  }

  // The group's own bodies, none of which pulls itself.
  for (unsigned k = 0; k < 2; ++k) masses[lane + 32 * k] = here[k];
  __syncwarp();  // all lanes' bodies are listed
  for (unsigned j = 0; j < static_cast<unsigned>(group_end - group_first); ++j) {
    const vec4<T> there = masses[j];
    for (unsigned k = 0; k < 2; ++k) {
      vec4<T> it = there;
      if (j == lane + 32 * k) it.w = 0;
      pull<false, true>(sum[k], here[k], it, form.softening_squared);
    }
  }
  __syncwarp();  // the list may be written anew

  unsigned mass_count = 0, cell_count = 0;
  const auto meet_masses = [&] {
    __syncwarp();  // the lanes' masses are listed
    for (unsigned j = 0; j < mass_count; ++j) {
      const vec4<T> there = masses[j];
      for (unsigned k = 0; k < 2; ++k) pull<plain, true>(sum[k], here[k], there, form.softening_squared);
    }
    mass_count = 0;
    __syncwarp();  // the list may be written anew
  };
  const auto meet_cells = [&] {
    __syncwarp();  // the lanes' cells are listed
    for (unsigned j = 0; j < cell_count; ++j) {
      const vec4<T> centre = listed_centres[j];
      const second_moments<T> second = listed_moments[j];
      for (unsigned k = 0; k < 2; ++k) pull_by_cell<plain>(sum[k], here[k], centre, second, form.softening_squared);
    }
    cell_count = 0;
    __syncwarp();  // the list may be written anew
  };
  const auto list_masses = [&](bool has, const vec4<T>& mass) {
    const unsigned those = __ballot_sync(whole_warp, has);
    if (mass_count + __popc(those) > listed) meet_masses();
    if (has) masses[mass_count + __popc(those & ((1u << lane) - 1))] = mass;
    mass_count += __popc(those);
  };

  if (lane == 0) waiting[0] = 0;
  __syncwarp();  // the root waits
  unsigned depth = 1, opened = 0;
  while (depth > 0) {
    const unsigned space = depth < crowded ? (crowded - depth) / 7 + 1 : 1, at_once = lesser(lesser(depth, 32u), space);
    const bool has = lane < at_once;
    std::uint32_t c = 0;
    if (has) c = waiting[depth - 1 - lane];
    depth -= at_once;
    __syncwarp();  // those taken are read
    cell_range cell{};
    cell_centre<T> centre{};
    moments<T> m{};
    if (has) cell = cells[c], centre = centres[c];
    const auto may_take = [&](T square) {
      if (!(square > centre.open_within)) return false;
      if (!form.relative) return true;
      // Its error is some mass · (size / 2)^p / distance^(p + 2).
      const moments<T> its = found[c];
      return its.error_mass <= form.criterion * least_size * square * square * (form.quadrupoles ? sqrt(square) : T(1));
    };
    const bool outside = has && (cell.end <= group_first || cell.first >= group_end);
    bool take = outside;
    if (take && centre.open_within > 0) {
      const T dx = greater((centre.x < middle[0] ? middle[0] - centre.x : centre.x - middle[0]) - half[0], T(0)),
              dy = greater((centre.y < middle[1] ? middle[1] - centre.y : centre.y - middle[1]) - half[1], T(0)),
              dz = greater((centre.z < middle[2] ? middle[2] - centre.z : centre.z - middle[2]) - half[2], T(0));
      take = may_take(dx * dx + dy * dy + dz * dz);
    }
    // If bodies are far apart, as at the rim of a cluster, their box may contain all others. A walk that has opened
    // many cells tests the bodies themselves from then on.
    if (opened >= patience)
      for (unsigned those = __ballot_sync(whole_warp, outside && !take); those != 0; those &= those - 1) {
        const int from = __ffs(static_cast<int>(those)) - 1;
        const T at[3] = {__shfl_sync(whole_warp, centre.x, from), __shfl_sync(whole_warp, centre.y, from),
                         __shfl_sync(whole_warp, centre.z, from)};
        T square[2];
        for (unsigned k = 0; k < 2; ++k) {
          const T dx = at[0] - here[k].x, dy = at[1] - here[k].y, dz = at[2] - here[k].z;
          square[k] = dx * dx + dy * dy + dz * dz;
        }
        const T least = least_in_warp(lesser(square[0], square[1]));
        if (lane == static_cast<unsigned>(from)) take = may_take(least);
      }
    opened += __popc(__ballot_sync(whole_warp, has && !take));
    if (take) m = found[c];
    const bool as_mass = take && (!form.quadrupoles || centre.open_within == 0), as_cell = take && !as_mass;
    const bool leaf = has && !take && cell.children == 0;

    unsigned children = has && !take ? cell.children : 0, before = children;
    for (unsigned step = 1; step < 32; step *= 2) {
      const unsigned left = __shfl_up_sync(whole_warp, before, step);
      if (lane >= step) before += left;
    }
    const unsigned all_children = __shfl_sync(whole_warp, before, 31);
    before -= children;
    for (unsigned k = 0; k < children; ++k) waiting[depth + before + k] = cell.child + k;
    depth += all_children;

    const unsigned those = __ballot_sync(whole_warp, as_cell);
    if (cell_count + __popc(those) > listed) meet_cells();
    if (as_cell) {
      const unsigned at = cell_count + __popc(those & ((1u << lane) - 1));
      listed_centres[at] = vec4<T>{centre.x, centre.y, centre.z, m.mass};
      listed_moments[at] = m.second;
    }
    cell_count += __popc(those);
    list_masses(as_mass, vec4<T>{centre.x, centre.y, centre.z, m.mass});
    for (unsigned leaves = __ballot_sync(whole_warp, leaf); leaves != 0; leaves &= leaves - 1) {
      const int from = __ffs(static_cast<int>(leaves)) - 1;
      const std::uint32_t first = __shfl_sync(whole_warp, cell.first, from),
                          end = __shfl_sync(whole_warp, cell.end, from), i = first + lane;
      const bool other = i < end && (i < group_first || i >= group_end);
      vec4<T> body{};
      if (other) body = bodies[i];
      list_masses(other, body);
    }
    __syncwarp();  // what waits is written
  }
  meet_masses();
  meet_cells();

  for (unsigned k = 0; k < 2; ++k) {
    const std::uint64_t i = group_first + lane + 32 * k;
    if (i >= n) continue;
    if (form.measures) {
      sizes[i] = sqrt(sum[k].x * sum[k].x + sum[k].y * sum[k].y + sum[k].z * sum[k].z);
    } else {
      const std::uint64_t to = form.in_tree_order ? i - form.first : order[i];
      out[to] = vec4<T>{form.gravity * sum[k].x, form.gravity * sum[k].y, form.gravity * sum[k].z,
                        form.potentials ? form.gravity * sum[k].w : T(0)};
    }
  }
}

// ---- all of it

// The bodies whose accelerations are computed: all of them, or [first, first + count) in the order of the tree. In the
// second case the rows are in that order, and `order` receives it.
struct share_of_tree {
  bool some = false;
  std::uint64_t first = 0, count = 0;
  global<std::uint32_t> order{};
};

// Divides the cells between the last two entries of `level`, and the cells below them, a level at a time. Appends the
// beginning of each level to `level`.
template <class Machine>
void divide(Machine& machine, global<const std::uint64_t> keys, global<cell_range> cells, global<std::uint32_t> counts,
            std::vector<std::uint32_t>& level) {
  constexpr unsigned block = 256;
  for (;;) {
    const std::uint32_t first = level[level.size() - 2], count = level.back() - first;
    machine.grid.launch(count_children<std::uint32_t>, blocks_for(count + 1, block), block, keys, cells, first, count,
                        counts);
    machine.scan(counts, count + 1);
    std::uint32_t children = 0;
    machine.download(&children, counts + count, 1);
    if (children == 0) return;
    machine.grid.launch(write_children<std::uint32_t>, blocks_for(count, block), block, keys, cells, first, count,
                        counts);
    level.push_back(level.back() + children);
  }
}

// The bodies [first, end) in the order of the tree are pulled; `n` bounds what their groups have.
template <class T>
struct walked_tree {
  global<const vec4<T>> bodies;
  global<const std::uint32_t> order;  // of rows in the bodies' original order
  std::uint64_t n;
  global<const cell_range> cells;
  global<const cell_centre<T>> centres;
  global<const moments<T>> found;
  std::uint64_t first, end;
};
struct walk_kind {
  bool quadrupoles, relative, measures, in_tree_order;  // walk_form's
};

template <class T, class Machine>
void launch_walk(Machine& machine, const walked_tree<T>& t, global<T> sizes, global<vec4<T>> out, const gravitation& g,
                 const walk_kind& kind) {
  const bool plain = g.softening >= (sizeof(T) == 4 ? 1e-6 : 1e-60);
  const walk_form<T> form{static_cast<T>(g.softening * g.softening),
                          static_cast<T>(g.constant),
                          static_cast<T>(g.criterion),
                          kind.quadrupoles,
                          g.potentials,
                          kind.relative,
                          kind.measures,
                          kind.in_tree_order,
                          t.first,
                          t.end};
  machine.grid.launch(plain ? walk_groups<true, T> : walk_groups<false, T>,
                      blocks_for(t.end - t.first, cuda_group * cuda_walking_warps), 32 * cuda_walking_warps, t.bodies,
                      t.order, t.n, t.cells, t.centres, t.found, sizes, out, form, cuda_patience);
}

// Machine: the grid, and the functions that are not kernels of this file:
//   scratch<T>(name, count)    global memory, which is kept
//   download(to, from, count)     to the host
//   sort(keys, order, n)       sorts the keys, and writes the original place of each to `order`
//   scan(counts, n)            exclusive, in place
//   done(part)                 the part has been enqueued
template <class T, class Machine>
void pull_by_tree(Machine& machine, global<const vec4<T>> in, global<vec4<T>> out, std::uint64_t n,
                  const gravitation& g, const share_of_tree& share = {}) {
  constexpr unsigned block = 256;
  const auto blocks = [](std::uint64_t count) { return blocks_for(count, block); };
  auto& grid = machine.grid;

  // Keys.
  const std::uint64_t tiles = std::min<std::uint64_t>(blocks(n), 512),
                      sampled = std::min<std::uint64_t>(n, detail::nbody_impl::bodies_in_sample);
  const global<box<T>> bounds = machine.template scratch<box<T>>("bounds", tiles);
  const global<vec4<T>> sample = machine.template scratch<vec4<T>>("sample", sampled);
  grid.launch(find_bounds<block, T>, tiles, block, in, n, bounds);
  grid.launch(take_sample<T>, blocks(sampled), block, in, n, sample, static_cast<unsigned>(sampled));
  std::vector<box<T>> host_bounds(tiles);
  std::vector<vec4<T>> host_sample(sampled);
  machine.download(host_bounds.data(), bounds, tiles);
  machine.download(host_sample.data(), sample, sampled);
  const key_cube cube = [&] {
    double lower[3], upper[3];
    std::vector<double> axis[3];
    for (int a = 0; a < 3; ++a) {
      lower[a] = host_bounds[0].lower[a], upper[a] = host_bounds[0].upper[a];
      for (const box<T>& b : host_bounds)
        lower[a] = std::min<double>(lower[a], b.lower[a]), upper[a] = std::max<double>(upper[a], b.upper[a]);
      for (const vec4<T>& s : host_sample) axis[a].push_back(a == 0 ? s.x : a == 1 ? s.y : s.z);
    }
    return detail::nbody_impl::cube_around({axis[0].data(), axis[1].data(), axis[2].data()}, sampled, lower, upper);
  }();
  const global<std::uint64_t> keys = machine.template scratch<std::uint64_t>("keys", n);
  const global<std::uint32_t> order = share.some ? share.order : machine.template scratch<std::uint32_t>("order", n);
  const global<vec4<T>> bodies = machine.template scratch<vec4<T>>("bodies", n);
  grid.launch(find_keys<T>, blocks(n), block, in, n, cube, keys);
  machine.done(tree_part::keys);
  machine.sort(keys, order, n);
  grid.launch(gather_bodies<T>, blocks(n), block, in, order, n, bodies);
  machine.done(tree_part::sort);

  // Cells, a level at a time.
  const global<cell_range> cells = machine.template scratch<cell_range>("cells", 2 * n + 8);
  const global<std::uint32_t> counts = machine.template scratch<std::uint32_t>("counts", n + 2);
  grid.launch(set_root<std::uint32_t>, 1, 1, cells, static_cast<std::uint32_t>(n));
  std::vector<std::uint32_t> level{0, 1};
  divide(machine, keys, cells, counts, level);
  const std::uint32_t all = level.back();
  machine.done(tree_part::cells);

  // Moments, from the deepest level up.
  const global<cell_centre<T>> centres = machine.template scratch<cell_centre<T>>("centres", all);
  const global<moments<T>> found = machine.template scratch<moments<T>>("moments", all);
  const global<box<T>> boxes = machine.template scratch<box<T>>("boxes", all);
  for (std::size_t l = level.size() - 1; l-- > 0;)
    grid.launch(find_moments<T>, blocks(level[l + 1] - level[l]), block, bodies, cells, centres, found, boxes, level[l],
                level[l + 1] - level[l]);
  machine.done(tree_part::moments);

  // The walk. For relative errors a rough walk comes first, which gives the accelerations that they are relative to.
  const bool relative = g.criterion > 0;
  const global<T> sizes = machine.template scratch<T>("sizes", relative ? n : 1);
  const std::uint64_t first = share.some ? share.first : 0, count = share.some ? share.count : n;
  if (count == 0) return;
  const auto walk = [&](T theta, bool quadrupoles, bool measures) {
    grid.launch(set_openings<T>, blocks(all), block, centres, found, boxes, all, opening<T>{theta, quadrupoles});
    const walked_tree<T> t{bodies, order, n, cells, centres, found, first, first + count};
    launch_walk(machine, t, sizes, out, g, {quadrupoles, relative && !measures, measures, share.some});
  };
  if (relative) walk(1, false, true);
  walk(static_cast<T>(relative ? 1 : g.theta), g.quadrupoles, false);
  machine.done(tree_part::walk);
}

}  // namespace upsweep::textbook::nbody_tree
