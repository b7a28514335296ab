#include "upsweep/nbody/tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "upsweep/catalog.hpp"
#include "upsweep/cpu/blocks.hpp"
#include "upsweep/nbody/tree_keys.hpp"
#include "upsweep/nbody/tuning.hpp"

namespace upsweep::nbody_room {

namespace {

inline constexpr std::uint64_t bodies_at_once = 1 << 13, cells_at_once = 1 << 9;
inline constexpr std::uint64_t most_levels = 64;  // 21 of keys, 11 of equal parts, and some

// Calls f(i) for i in [first, end), on the device's threads.
template <class F>
void for_each(device& d, std::uint64_t first, std::uint64_t end, std::uint64_t at_once, const F& f) {
  cpu::for_each_block(d, cpu::block_count(end - first, at_once), [&](std::uint64_t b, const cpu::stop_flag&) {
    for (std::uint64_t i = first + b * at_once, stop = std::min(end, i + at_once); i < stop; ++i) f(i);
  });
}

template <class T>
key_cube cube_of(const four<T>* bodies, std::uint64_t n) {
  double x[bodies_in_sample], y[bodies_in_sample], z[bodies_in_sample];
  const std::uint64_t count = std::min(n, bodies_in_sample);
  for (std::uint64_t s = 0; s < count; ++s) {
    const four<T> b = bodies[s * n / count];
    x[s] = b.x, y[s] = b.y, z[s] = b.z;
  }
  return cube_around(x, y, z, count);
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

// Level by level: each cell counts its children, the counts are added up, each writes its children. Returns how many cells there are.
std::uint64_t divide(device& d, const std::uint64_t* keys, std::uint64_t n, cell_range* cells, std::uint64_t* level, std::uint64_t& levels) {
  cells[0] = {0, static_cast<std::uint32_t>(n), 0, 0};
  level[0] = 0, level[1] = 1, levels = 1;
  for (;; ++levels) {
    const std::uint64_t first = level[levels - 1], end = level[levels];
    for_each(d, first, end, cells_at_once, [&](std::uint64_t c) {
      cell_range& cell = cells[c];
      if (cell.end - cell.first <= cpu_leaf) return;
      for_each_child(keys, cell.first, cell.end, [&](std::uint64_t, std::uint64_t) { ++cell.children; });
    });
    std::uint64_t next = end;
    for (std::uint64_t c = first; c < end; ++c) cells[c].child = static_cast<std::uint32_t>(next), next += cells[c].children;
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

struct sums {
  double mass = 0, x = 0, y = 0, z = 0;  // mass · place
};

// From the bodies of a leaf or the children of a cell: first the mass and its centre, then the moments about it.
template <class T>
void find_moments(const tree<T>& t, std::uint64_t c, cell_centre<T>& centre, cell_moments<T>& out) {
  const cell_range cell = t.ranges[c];
  const bool leaf = cell.children == 0;
  const std::uint64_t first = leaf ? cell.first : cell.child, end = leaf ? cell.end : cell.child + cell.children;
  sums sum;
  for (int a = 0; a < 3; ++a) out.lower[a] = std::numeric_limits<T>::max(), out.upper[a] = std::numeric_limits<T>::lowest();
  for (std::uint64_t i = first; i < end; ++i) {
    const double mass = leaf ? t.axis[3][i] : t.moments[i].mass;
    sum.mass += mass;
    sum.x += mass * (leaf ? t.axis[0][i] : t.centres[i].x);
    sum.y += mass * (leaf ? t.axis[1][i] : t.centres[i].y);
    sum.z += mass * (leaf ? t.axis[2][i] : t.centres[i].z);
    for (int a = 0; a < 3; ++a) {
      out.lower[a] = std::min(out.lower[a], leaf ? t.axis[a][i] : t.moments[i].lower[a]);
      out.upper[a] = std::max(out.upper[a], leaf ? t.axis[a][i] : t.moments[i].upper[a]);
    }
  }
  const auto middle = [&](int a) { return out.lower[a] / 2 + out.upper[a] / 2; };
  const bool heavy = sum.mass > 0;
  centre.x = heavy ? static_cast<T>(sum.x / sum.mass) : middle(0);
  centre.y = heavy ? static_cast<T>(sum.y / sum.mass) : middle(1);
  centre.z = heavy ? static_cast<T>(sum.z / sum.mass) : middle(2);
  double s[6] = {};
  for (std::uint64_t i = first; i < end; ++i) {
    const double mass = leaf ? t.axis[3][i] : t.moments[i].mass;
    const double x = double(leaf ? t.axis[0][i] : t.centres[i].x) - centre.x, y = double(leaf ? t.axis[1][i] : t.centres[i].y) - centre.y,
                 z = double(leaf ? t.axis[2][i] : t.centres[i].z) - centre.z;
    const double more[6] = {x * x, x * y, x * z, y * y, y * z, z * z};
    for (int k = 0; k < 6; ++k) s[k] += mass * more[k] + (leaf ? 0 : t.moments[i].moment[k]);
  }
  out.mass = static_cast<T>(sum.mass);
  for (int k = 0; k < 6; ++k) out.moment[k] = static_cast<T>(s[k]);
}

template <class T>
void set_opening(cell_centre<T>& centre, cell_moments<T>& m, const gravitation& g) {
  constexpr T never = std::numeric_limits<T>::max();
  constexpr T too_wide = sizeof(T) == 4 ? T(1e12) : T(1e90);  // whose moments may be no numbers
  T size = 0, off = 0;
  const T at[3] = {centre.x, centre.y, centre.z};
  for (int a = 0; a < 3; ++a) {
    size = std::max(size, m.upper[a] - m.lower[a]);
    const T aside = at[a] - (m.lower[a] / 2 + m.upper[a] / 2);
    off += aside * aside;
  }
  const T half = size / 2;
  m.error_mass = m.mass * half * half * (g.quadrupoles ? half : T(1));
  if (size == 0) {
    centre.open_within = 0;
    return;
  }
  // With a criterion of its own a cell still is not taken from within.
  const T theta = static_cast<T>(g.criterion > 0 ? 1 : g.theta), within = size / theta + std::sqrt(off);
  centre.open_within = theta > 0 && size < too_wide ? within * within : never;
}

}  // namespace

template <class T>
void set_openings(device& d, const tree<T>& t, const gravitation& g) {
  for_each(d, 0, t.count, cells_at_once, [&](std::uint64_t c) {
    set_opening(const_cast<cell_centre<T>&>(t.centres[c]), const_cast<cell_moments<T>&>(t.moments[c]), g);
  });
}

template <class T>
tree<T> build_tree(device& d, memory bodies, std::uint64_t n, const gravitation& g) {
  const auto* in = bodies.as<const four<T>>();
  tree<T> t;
  t.n = n, t.padded = (n + cpu_group - 1) / cpu_group * cpu_group;

  // In the order of keys.
  const memory keys = d.scratch("nbody/keys", n * sizeof(std::uint64_t)), order = d.scratch("nbody/order", n * sizeof(std::uint32_t));
  const key_cube cube = cube_of(in, n);
  auto* const key = keys.as<std::uint64_t>();
  for_each(d, 0, n, bodies_at_once, [&](std::uint64_t i) { key[i] = key_of(cube, in[i].x, in[i].y, in[i].z); });
  problem sort;
  sort.what = primitive::sort, sort.type = dtype::u64, sort.n = n;
  sort.in = sort.out = keys, sort.out2 = order, sort.indices = true, sort.value_bytes = sizeof(std::uint32_t);
  run(d, sort);
  t.order = order.as<const std::uint32_t>();
  T* const axes = d.scratch("nbody/tree axes", 4 * t.padded * sizeof(T)).template as<T>();
  for (int a = 0; a < 4; ++a) t.axis[a] = axes + static_cast<std::uint64_t>(a) * t.padded;
  const std::uint64_t blocks = cpu::block_count(t.padded, bodies_at_once);
  T* const widest = d.scratch("nbody/widest", blocks * sizeof(T)).template as<T>();
  cpu::for_each_block(d, blocks, [&](std::uint64_t b, const cpu::stop_flag&) {
    T wide = 0;
    for (std::uint64_t i = b * bodies_at_once, end = std::min(t.padded, i + bodies_at_once); i < end; ++i) {
      const four<T> body = in[t.order[std::min(i, n - 1)]];
      t.axis[0][i] = body.x, t.axis[1][i] = body.y, t.axis[2][i] = body.z, t.axis[3][i] = body.w;
      wide = std::max({wide, std::abs(body.x), std::abs(body.y), std::abs(body.z)});
    }
    widest[b] = wide;
  });
  t.widest = *std::max_element(widest, widest + blocks);

  // Cells: fewer than twice the leaves, which are no more than the bodies.
  auto* const ranges = d.scratch("nbody/cells", (2 * n + 8) * sizeof(cell_range)).template as<cell_range>();
  auto* const level = d.scratch("nbody/levels", (most_levels + 2) * sizeof(std::uint64_t)).template as<std::uint64_t>();
  t.count = divide(d, key, n, ranges, level, t.levels);
  t.ranges = ranges, t.level = level;

  auto* const centres = d.scratch("nbody/centres", t.count * sizeof(cell_centre<T>)).template as<cell_centre<T>>();
  auto* const moments = d.scratch("nbody/moments", t.count * sizeof(cell_moments<T>)).template as<cell_moments<T>>();
  t.centres = centres, t.moments = moments;
  for (std::uint64_t l = t.levels; l-- > 0;)
    for_each(d, level[l], level[l + 1], cells_at_once, [&](std::uint64_t c) {
      find_moments(t, c, centres[c], moments[c]);
      set_opening(centres[c], moments[c], g);
    });
  return t;
}

template tree<float> build_tree(device&, memory, std::uint64_t, const gravitation&);
template tree<double> build_tree(device&, memory, std::uint64_t, const gravitation&);
template void set_openings(device&, const tree<float>&, const gravitation&);
template void set_openings(device&, const tree<double>&, const gravitation&);

}  // namespace upsweep::nbody_room
