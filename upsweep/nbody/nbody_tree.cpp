#include "upsweep/nbody/nbody_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/nbody/cpu/nbody_keys.hpp"
#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/nbody/nbody_tree_keys.hpp"
#include "upsweep/nbody/nbody_tree_times.hpp"
#include "upsweep/nbody/nbody_tuning.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

inline constexpr std::uint64_t bodies_at_once = 1 << 13, cells_at_once = 1 << 9;

// Calls f(i) for i in [first, end), on the device's threads.
template <class F>
void for_each(device& d, std::uint64_t first, std::uint64_t end, std::uint64_t at_once, const F& f) {
  cpu::for_each_block(d, cpu::block_count(end - first, at_once), [&](std::uint64_t b, const cpu::stop_flag&) {
    for (std::uint64_t i = first + b * at_once, stop = std::min(end, i + at_once); i < stop; ++i) f(i);
  });
}

}  // namespace

void bounds::take(const double (&low)[3], const double (&high)[3]) {
  for (int a = 0; a < 3; ++a) lower[a] = std::min(lower[a], low[a]), upper[a] = std::max(upper[a], high[a]);
}

// NaN coordinates do not extend the bounds, in any place.
template <class T>
bounds bounds_of(device& d, const vec4<T>* bodies, std::uint64_t n) {
  const std::uint64_t blocks = cpu::block_count(n, bodies_at_once);
  auto* const each = d.scratch("nbody/bounds", blocks * sizeof(bounds)).template as<bounds>();
  cpu::for_each_block(d, blocks, [&](std::uint64_t b, const cpu::stop_flag&) {
    constexpr T far = std::numeric_limits<T>::infinity();
    T low[3] = {far, far, far}, high[3] = {-far, -far, -far};
    for (std::uint64_t i = b * bodies_at_once, end = std::min(n, i + bodies_at_once); i < end; ++i) {
      const T at[3] = {bodies[i].x, bodies[i].y, bodies[i].z};
      for (int a = 0; a < 3; ++a) low[a] = std::min(low[a], at[a]), high[a] = std::max(high[a], at[a]);
    }
    each[b] = {};
    each[b].take({low[0], low[1], low[2]}, {high[0], high[1], high[2]});
  });
  bounds all;
  for (std::uint64_t b = 0; b < blocks; ++b) all.take(each[b].lower, each[b].upper);
  return all;
}

namespace {

template <class T>
key_cube cube_of(device& d, const vec4<T>* bodies, std::uint64_t n) {
  double x[bodies_in_sample], y[bodies_in_sample], z[bodies_in_sample];
  const std::uint64_t count = std::min(n, bodies_in_sample);
  for (std::uint64_t s = 0; s < count; ++s) {
    const vec4<T> b = bodies[s * n / count];
    x[s] = b.x, y[s] = b.y, z[s] = b.z;
  }
  const bounds all = bounds_of(d, bodies, n);
  return cube_around({x, y, z}, count, all.lower, all.upper);
}

template <class T>
void find_keys_at_once(const key_cube& cube, const vec4<T>* bodies, std::uint64_t count, std::uint64_t* to) {
  std::uint32_t x[keys_at_once], y[keys_at_once], z[keys_at_once];
  for (std::uint64_t i = 0; i < keys_at_once; ++i) {
    const vec4<T> body = bodies[std::min(i, count - 1)];
    x[i] = column_of(body.x, cube.lower[0], cube.scale);
    y[i] = column_of(body.y, cube.lower[1], cube.scale);
    z[i] = column_of(body.z, cube.lower[2], cube.scale);
  }
  std::uint64_t keys[keys_at_once];
  hilbert_keys(x, y, z, keys);
  std::copy_n(keys, count, to);
}

// Calls f(first, end) for each child of the range, in order.
template <class F>
void for_each_child(const std::uint64_t* keys, std::uint64_t first, std::uint64_t end, const F& f) {
  const std::uint64_t differing = keys[first] ^ keys[end - 1];
  if (differing == 0) {
    const std::uint64_t part = (end - first + 7) / 8;
    for (; first < end; first += part) f(first, std::min(end, first + part));
    return;
  }
  const int shift = (std::bit_width(differing) - 1) / 3 * 3;
  while (first < end) {
    const std::uint64_t digit = keys[first] >> shift;
    const std::uint64_t next =
        std::partition_point(keys + first, keys + end, [&](std::uint64_t key) { return key >> shift == digit; }) - keys;
    f(first, next);
    first = next;
  }
}

}  // namespace

template <class T>
void find_keys(device& d, const key_cube& cube, const vec4<T>* bodies, std::uint64_t n, std::uint64_t* keys) {
  cpu::for_each_block(d, cpu::block_count(n, bodies_at_once), [&](std::uint64_t b, const cpu::stop_flag&) {
    for (std::uint64_t i = b * bodies_at_once, end = std::min(n, i + bodies_at_once); i < end; i += keys_at_once)
      find_keys_at_once(cube, bodies + i, std::min(keys_at_once, end - i), keys + i);
  });
}

// Level by level: each cell counts its children, the counts are added up, each writes its children.
std::uint64_t divide(device& d, const std::uint64_t* keys, cell_range* cells, std::uint64_t* level,
                     std::uint64_t& levels) {
  for (levels = 1;; ++levels) {
    const std::uint64_t first = level[levels - 1], end = level[levels];
    for_each(d, first, end, cells_at_once, [&](std::uint64_t c) {
      cell_range& cell = cells[c];
      cell.children = 0;
      if (cell.end - cell.first <= cpu_leaf) return;
      for_each_child(keys, cell.first, cell.end, [&](std::uint64_t, std::uint64_t) { ++cell.children; });
    });
    std::uint64_t next = end;
    for (std::uint64_t c = first; c < end; ++c)
      cells[c].child = cells[c].children == 0 ? cells[c].first : static_cast<std::uint32_t>(next),
      next += cells[c].children;
    if (next == end) return end;
    for_each(d, first, end, cells_at_once, [&](std::uint64_t c) {
      if (cells[c].children == 0) return;
      std::uint64_t child = cells[c].child;
      for_each_child(keys, cells[c].first, cells[c].end, [&](std::uint64_t from, std::uint64_t to) {
        cells[child++] = {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), 0, 0};
      });
    });
    level[levels + 1] = next;
  }
}

namespace {

// A part of a cell: one body of a leaf, or one child.
template <class T>
struct part {
  T at[3], mass;
  T lower[3], upper[3];
  const T* moment;  // null: none
};

// First the mass and its centre, then the moments about it. part_of(i) for i in [first, end).
template <class T, class PartOf>
void find_moments_of(std::uint64_t first, std::uint64_t end, const PartOf& part_of, cell_centre<T>& centre,
                     cell_moments<T>& out) {
  double mass = 0, at[3] = {};
  for (int a = 0; a < 3; ++a)
    out.lower[a] = std::numeric_limits<T>::max(), out.upper[a] = std::numeric_limits<T>::lowest();
  for (std::uint64_t i = first; i < end; ++i) {
    const part<T> one = part_of(i);
    mass += one.mass;
    for (int a = 0; a < 3; ++a) {
      at[a] += double(one.mass) * one.at[a];
      out.lower[a] = std::min(out.lower[a], one.lower[a]);
      out.upper[a] = std::max(out.upper[a], one.upper[a]);
    }
  }
  T middle[3];
  // Rounding must not move a point's centre off the point. (std::clamp requires ordered bounds, and bodies at infinity
  // have none.)
  for (int a = 0; a < 3; ++a) {
    const T mean = mass > 0 ? static_cast<T>(at[a] / mass) : out.lower[a] / 2 + out.upper[a] / 2;
    middle[a] = std::max(std::min(mean, out.upper[a]), out.lower[a]);
  }
  centre.x = middle[0], centre.y = middle[1], centre.z = middle[2];
  // Sums of differences between neighbours, so that the range of T suffices for the products.
  T s[6] = {};
  for (std::uint64_t i = first; i < end; ++i) {
    const part<T> one = part_of(i);
    const T x = one.at[0] - middle[0], y = one.at[1] - middle[1], z = one.at[2] - middle[2], mx = one.mass * x,
            my = one.mass * y;
    s[0] += mx * x, s[1] += mx * y, s[2] += mx * z, s[3] += my * y, s[4] += my * z, s[5] += one.mass * z * z;
    if (one.moment)
      for (int k = 0; k < 6; ++k) s[k] += one.moment[k];
  }
  out.mass = static_cast<T>(mass);
  for (int k = 0; k < 6; ++k) out.moment[k] = s[k];
}

template <class T>
void find_own_moments(const tree<T>& t, std::uint64_t c, cell_centre<T>& centre, cell_moments<T>& out) {
  const cell_range cell = t.ranges[c];
  if (cell.children == 0)
    return find_moments_of(
        cell.child, cell.child + (cell.end - cell.first),
        [&](std::uint64_t i) {
          const T x = t.axis[0][i], y = t.axis[1][i], z = t.axis[2][i];
          return part<T>{{x, y, z}, t.axis[3][i], {x, y, z}, {x, y, z}, nullptr};
        },
        centre, out);
  find_moments_of(
      cell.child, cell.child + cell.children,
      [&](std::uint64_t i) {
        const cell_moments<T>& m = t.moments[i];
        return part<T>{{t.centres[i].x, t.centres[i].y, t.centres[i].z},
                       m.mass,
                       {m.lower[0], m.lower[1], m.lower[2]},
                       {m.upper[0], m.upper[1], m.upper[2]},
                       m.moment};
      },
      centre, out);
}

template <class T>
void set_opening(cell_centre<T>& centre, cell_moments<T>& m, const gravitation& g) {
  constexpr T never = std::numeric_limits<T>::max();
  constexpr T too_wide = sizeof(T) == 4 ? T(1e12) : T(1e90);  // whose moments may be no numbers
  T size = 0, furthest = 0;  // from the centre to a corner: within it the series need not converge
  const T at[3] = {centre.x, centre.y, centre.z};
  for (int a = 0; a < 3; ++a) {
    size = std::max(size, m.upper[a] - m.lower[a]);
    const T corner = std::max(m.upper[a] - at[a], at[a] - m.lower[a]);
    furthest += corner * corner;
  }
  const T half = size / 2;
  m.error_mass = m.mass * half * half * (g.quadrupoles ? half : T(1));
  if (size == 0) {
    centre.open_within = 0;
    return;
  }
  // With the relative-error criterion, too, a body inside a cell does not take the cell as one mass.
  const T theta = static_cast<T>(g.criterion > 0 ? 1 : g.theta), within = std::max(size / theta, std::sqrt(furthest));
  centre.open_within = theta > 0 && size < too_wide ? within * within : never;
}

}  // namespace

template <class T>
void find_moments(const tree<T>& t, std::uint64_t c, const gravitation& g) {
  auto& centre = const_cast<cell_centre<T>&>(t.centres[c]);
  auto& moments = const_cast<cell_moments<T>&>(t.moments[c]);
  find_own_moments(t, c, centre, moments);
  set_opening(centre, moments, g);
}

template <class T>
void find_moments(device& d, const tree<T>& t, const gravitation& g) {
  for (std::uint64_t l = t.levels; l-- > 0;)
    for_each(d, t.level[l], t.level[l + 1], cells_at_once, [&](std::uint64_t c) { find_moments(t, c, g); });
}

template <class T>
void set_openings(device& d, const tree<T>& t, const gravitation& g) {
  for_each(d, 0, t.count, cells_at_once, [&](std::uint64_t c) {
    set_opening(const_cast<cell_centre<T>&>(t.centres[c]), const_cast<cell_moments<T>&>(t.moments[c]), g);
  });
}

template <class T>
tree<T> build_tree(device& d, memory bodies, std::uint64_t n, const gravitation& g) {
  const auto* in = bodies.as<const vec4<T>>();
  tree<T> t;
  t.n = n, t.padded = (n + cpu_group - 1) / cpu_group * cpu_group;

  // In the order of keys.
  const memory keys = d.scratch("nbody/keys", n * sizeof(std::uint64_t)),
               order = d.scratch("nbody/order", n * sizeof(std::uint32_t));
  const key_cube cube = cube_of(d, in, n);
  auto* const key = keys.as<std::uint64_t>();
  find_keys(d, cube, in, n, key);
  tree_part_done(d, tree_part::keys);
  detail::sort_impl::problem sort;
  sort.type = dtype::u64, sort.n = n;
  sort.in = sort.out = keys, sort.out2 = order, sort.indices = true, sort.value_bytes = sizeof(std::uint32_t);
  detail::sort_impl::run(d, sort);
  t.order = order.as<const std::uint32_t>();
  T* const axes = d.scratch("nbody/tree axes", 4 * t.padded * sizeof(T)).template as<T>();
  for (int a = 0; a < 4; ++a) t.axis[a] = axes + static_cast<std::uint64_t>(a) * t.padded;
  const std::uint64_t blocks = cpu::block_count(t.padded, bodies_at_once);
  T* const widest = d.scratch("nbody/widest", blocks * sizeof(T)).template as<T>();
  cpu::for_each_block(d, blocks, [&](std::uint64_t b, const cpu::stop_flag&) {
    T wide = 0;
    for (std::uint64_t i = b * bodies_at_once, end = std::min(t.padded, i + bodies_at_once); i < end; ++i) {
      const vec4<T> body = in[t.order[std::min(i, n - 1)]];
      t.axis[0][i] = body.x, t.axis[1][i] = body.y, t.axis[2][i] = body.z, t.axis[3][i] = body.w;
      wide = std::max({wide, std::abs(body.x), std::abs(body.y), std::abs(body.z)});
    }
    widest[b] = wide;
  });
  t.widest = *std::max_element(widest, widest + blocks);
  tree_part_done(d, tree_part::sort);

  // Cells: fewer than twice the leaves, which are no more than the bodies.
  auto* const ranges = d.scratch("nbody/cells", (2 * n + 8) * sizeof(cell_range)).template as<cell_range>();
  auto* const level = d.scratch("nbody/levels", (most_levels + 2) * sizeof(std::uint64_t)).template as<std::uint64_t>();
  ranges[0] = {0, static_cast<std::uint32_t>(n), 0, 0};
  level[0] = 0, level[1] = 1;
  t.count = divide(d, key, ranges, level, t.levels);
  t.ranges = ranges, t.level = level;
  tree_part_done(d, tree_part::cells);

  auto* const centres = d.scratch("nbody/centres", t.count * sizeof(cell_centre<T>)).template as<cell_centre<T>>();
  auto* const moments = d.scratch("nbody/moments", t.count * sizeof(cell_moments<T>)).template as<cell_moments<T>>();
  t.centres = centres, t.moments = moments;
  find_moments(d, t, g);
  tree_part_done(d, tree_part::moments);
  return t;
}

#define UPSWEEP_TREES_OF(T)                                                                         \
  template tree<T> build_tree(device&, memory, std::uint64_t, const gravitation&);                  \
  template void set_openings(device&, const tree<T>&, const gravitation&);                          \
  template bounds bounds_of(device&, const vec4<T>*, std::uint64_t);                                \
  template void find_keys(device&, const key_cube&, const vec4<T>*, std::uint64_t, std::uint64_t*); \
  template void find_moments(const tree<T>&, std::uint64_t, const gravitation&);                    \
  template void find_moments(device&, const tree<T>&, const gravitation&);
UPSWEEP_TREES_OF(float)
UPSWEEP_TREES_OF(double)
#undef UPSWEEP_TREES_OF

}  // namespace upsweep::detail::nbody_impl
