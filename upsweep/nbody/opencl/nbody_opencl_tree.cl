// Barnes and Hut's tree in OpenCL C; the cells are those of tree.hpp. The host defines REAL (float or double), LEAST
// and LARGEST (squares of distances between which pairs act), TOO_WIDE (cells whose moments may be no numbers), NEVER
// (the largest REAL), LEAF (most bodies of one) and GROUP (bodies that walk together, an item each).

#ifdef WITH_f64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define REAL2 JOINED(REAL, 2)
#define REAL4 JOINED(REAL, 4)
#define REAL8 JOINED(REAL, 8)

// Item i has the bodies i, i + items, …; it stores their bounds in bounds[2 i] and bounds[2 i + 1].
kernel void find_bounds(global const REAL4* in, ulong in_at, global REAL4* bounds, ulong bounds_at, ulong n) {
  const ulong first = get_global_id(0);
  REAL4 lower = in[in_at + min(first, n - 1)], upper = lower;
  for (ulong i = first; i < n; i += get_global_size(0)) {
    lower = fmin(lower, in[in_at + i]);
    upper = fmax(upper, in[in_at + i]);
  }
  bounds[bounds_at + 2 * first] = lower;
  bounds[bounds_at + 2 * first + 1] = upper;
}

kernel void take_sample(global const REAL4* in, ulong in_at, global REAL4* sample, ulong sample_at, ulong n, uint count) {
  const ulong s = get_global_id(0);
  if (s < count) sample[sample_at + s] = in[in_at + s * n / count];
}

// ---- keys (nbody_tree_keys.hpp)

#define KEY_BITS 21

ulong spread_bits(ulong x) {
  x = (x | x << 32) & 0x001f00000000fffful;
  x = (x | x << 16) & 0x001f0000ff0000fful;
  x = (x | x << 8) & 0x100f00f00f00f00ful;
  x = (x | x << 4) & 0x10c30c30c30c30c3ul;
  return (x | x << 2) & 0x1249249249249249ul;
}

ulong hilbert_key(uint x, uint y, uint z) {
  for (uint bit = 1u << (KEY_BITS - 1); bit > 1; bit >>= 1) {
    const uint below = bit - 1;
    x = x & bit ? x ^ below : x;
    const uint with_y = (x ^ y) & below, upper_y = y & bit;
    x ^= upper_y ? below : with_y;
    y ^= upper_y ? 0 : with_y;
    const uint with_z = (x ^ z) & below, upper_z = z & bit;
    x ^= upper_z ? below : with_z;
    z ^= upper_z ? 0 : with_z;
  }
  y ^= x;
  z ^= y;
  uint turn = 0;
  for (uint bit = 1u << (KEY_BITS - 1); bit > 1; bit >>= 1) turn ^= z & bit ? bit - 1 : 0;
  return spread_bits(x ^ turn) << 2 | spread_bits(y ^ turn) << 1 | spread_bits(z ^ turn);
}

uint column_of(REAL c, REAL lower, REAL scale) {
  const REAL at = (c - lower) * scale, last = (REAL)((1u << KEY_BITS) - 1);
  return at > 0 ? (uint)(at < last ? at : last) : 0;  // NaN: the first
}

kernel void find_keys(global const REAL4* in, ulong in_at, global ulong* keys, ulong keys_at, ulong n, REAL x, REAL y, REAL z, REAL scale) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  const REAL4 body = in[in_at + i];
  keys[keys_at + i] = hilbert_key(column_of(body.x, x, scale), column_of(body.y, y, scale), column_of(body.z, z, scale));
}

kernel void gather_bodies(global const REAL4* in, ulong in_at, global const uint* order, ulong order_at, global REAL4* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) out[out_at + i] = in[in_at + order[order_at + i]];
}

// ---- cells: {first, end, child, children}

// The end of the child that begins at `first`, in a range of bodies whose keys differ in the digit at `shift`, or, if
// shift < 0, not at all: parts.
uint end_of_child(global const ulong* keys, uint first, uint end, int shift, uint part) {
  if (shift < 0) return min(end, first + part);
  const ulong digit = keys[first] >> shift;
  uint from = first + 1, to = end;  // the first key of another digit is in [from, to]
  while (from < to) {
    const uint middle = from + (to - from) / 2;
    if (keys[middle] >> shift == digit)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

int shift_of(global const ulong* keys, uint4 cell) {
  const ulong differing = keys[cell.x] ^ keys[cell.y - 1];
  return differing ? (63 - (int)clz(differing)) / 3 * 3 : -1;
}

kernel void set_root(global uint4* cells, ulong cells_at, uint n) {
  if (get_global_id(0) == 0) cells[cells_at] = (uint4)(0, n, 0, 0);
}

kernel void count_children(global const ulong* keys, ulong keys_at, global const uint4* cells, ulong cells_at, global uint* counts, ulong counts_at,
                           uint first, uint count) {
  const uint k = get_global_id(0);
  if (k > count) return;
  uint children = 0;
  if (k < count) {
    const uint4 cell = cells[cells_at + first + k];
    if (cell.y - cell.x > LEAF) {
      const int shift = shift_of(keys + keys_at, cell);
      for (uint at = cell.x; at < cell.y; ++children) at = end_of_child(keys + keys_at, at, cell.y, shift, (cell.y - cell.x + 7) / 8);
    }
  }
  counts[counts_at + k] = children;
}

kernel void write_children(global const ulong* keys, ulong keys_at, global uint4* cells, ulong cells_at, global const uint* offsets, ulong offsets_at,
                           uint first, uint count) {
  const uint k = get_global_id(0);
  if (k >= count) return;
  uint4 cell = cells[cells_at + first + k];
  const uint from = offsets[offsets_at + k], children = offsets[offsets_at + k + 1] - from;
  cell.z = first + count + from;
  cell.w = children;
  cells[cells_at + first + k] = cell;
  if (children == 0) return;
  const int shift = shift_of(keys + keys_at, cell);
  uint child = cell.z;
  for (uint at = cell.x; at < cell.y;) {
    const uint next = end_of_child(keys + keys_at, at, cell.y, shift, (cell.y - cell.x + 7) / 8);
    cells[cells_at + child++] = (uint4)(at, next, 0, 0);
    at = next;
  }
}

// ---- moments: {mass, xx, xy, xz, yy, yz, zz, error mass}; boxes: lower and upper, a cell after the other

void find_moments_of(global const REAL4* bodies, global const uint4* cells, global REAL4* centres, global REAL8* moments, global REAL4* boxes, uint c) {
  const uint4 cell = cells[c];
  const bool leaf = cell.w == 0;
  const uint begin = leaf ? cell.x : cell.z, end = leaf ? cell.y : cell.z + cell.w;
  const REAL4 start = leaf ? bodies[begin] : centres[begin];
  REAL4 lower = start, upper = start, sum = 0;
  REAL mass = 0;
  for (uint i = begin; i < end; ++i) {
    const REAL4 at = leaf ? bodies[i] : centres[i];
    const REAL one = leaf ? at.w : moments[i].s0;
    mass += one;
    sum += one * (at - start);
    lower = fmin(lower, leaf ? at : boxes[2 * i]);
    upper = fmax(upper, leaf ? at : boxes[2 * i + 1]);
  }
  // Rounding must not move a point's centre off the point.
  const REAL4 centre = mass > 0 ? fmax(fmin(start + sum / mass, upper), lower) : lower / 2 + upper / 2;
  REAL8 m = 0;
  for (uint i = begin; i < end; ++i) {
    const REAL4 at = leaf ? bodies[i] : centres[i], d = at - centre;
    const REAL one = leaf ? at.w : moments[i].s0;
    if (!leaf) m += moments[i];
    m.s123 += one * d.x * d.xyz;
    m.s45 += one * d.y * d.yz;
    m.s6 += one * d.z * d.z;
  }
  m.s0 = mass;
  m.s7 = 0;
  centres[c] = centre;
  moments[c] = m;
  boxes[2 * c] = lower;
  boxes[2 * c + 1] = upper;
}

kernel void find_moments(global const REAL4* bodies, ulong bodies_at, global const uint4* cells, ulong cells_at, global REAL4* centres, ulong centres_at,
                         global REAL8* moments, ulong moments_at, global REAL4* boxes, ulong boxes_at, uint first, uint count) {
  const uint k = get_global_id(0);
  if (k < count) find_moments_of(bodies + bodies_at, cells + cells_at, centres + centres_at, moments + moments_at, boxes + boxes_at, first + k);
}

// A centre's fourth number becomes the square of the distance within which the cell is opened.
kernel void set_openings(global REAL4* centres, ulong centres_at, global REAL8* moments, ulong moments_at, global const REAL4* boxes, ulong boxes_at,
                         uint count, REAL theta, uint quadrupoles) {
  const uint c = get_global_id(0);
  if (c >= count) return;
  REAL4 centre = centres[centres_at + c];
  const REAL4 lower = boxes[boxes_at + 2 * c], upper = boxes[boxes_at + 2 * c + 1], wide = upper - lower;
  const REAL4 corner = fmax(upper - centre, centre - lower);
  const REAL size = fmax(wide.x, fmax(wide.y, wide.z)), half_size = size / 2, within = theta > 0 ? size / theta : (REAL)0;
  // beyond it the series converges
  const REAL furthest = corner.x * corner.x + corner.y * corner.y + corner.z * corner.z;
  centre.w = size == 0 ? (REAL)0 : theta > 0 && size < TOO_WIDE ? fmax(within * within, furthest) : NEVER;
  centres[centres_at + c] = centre;
  moments[moments_at + c].s7 = moments[moments_at + c].s0 * half_size * half_size * (quadrupoles ? half_size : (REAL)1);
}

// ---- the walk

REAL4 pull_of(REAL4 there, REAL4 here, REAL softening) {
  const REAL x = there.x - here.x, y = there.y - here.y, z = there.z - here.z, q = x * x + y * y + z * z + softening;
  const REAL mass = q < LEAST || q > LARGEST ? 0 : there.w;
  const REAL u = rsqrt(clamp(q, (REAL)LEAST, (REAL)LARGEST)), near = mass * u, pull = near * u;
  return (REAL4)(pull * (u * x), pull * (u * y), pull * (u * z), -near);
}

// a = Σ M d u³ - 3 q u⁵ + (15/2 dᵀq u⁷ - 3/2 s u⁵) d, φ = -Σ M u + (3 dᵀq u⁵ - s u³) / 2, with q = S d, s = tr S, u =
// 1/√(d² + ε²).
REAL4 pull_of_cell(REAL4 centre, REAL8 m, REAL4 here, REAL softening) {
  const REAL x = centre.x - here.x, y = centre.y - here.y, z = centre.z - here.z, q = x * x + y * y + z * z + softening;
  if (q < LEAST || q > LARGEST) return 0;
  const REAL u = rsqrt(q), u2 = u * u, ex = x * u, ey = y * u, ez = z * u;
  const REAL px = m.s1 * ex + m.s2 * ey + m.s3 * ez, py = m.s2 * ex + m.s4 * ey + m.s5 * ez, pz = m.s3 * ex + m.s5 * ey + m.s6 * ez;
  const REAL along = px * ex + py * ey + pz * ez, trace = m.s1 + m.s4 + m.s6;
  const REAL pull = (m.s0 + ((REAL)7.5 * along - (REAL)1.5 * trace) * u2) * u2, turn = -3 * u2 * u2;
  return (REAL4)(pull * ex + turn * px, pull * ey + turn * py, pull * ez + turn * pz,
                 -u * (m.s0 + ((REAL)1.5 * along - (REAL)0.5 * trace) * u2));
}

#define LISTED 128    // masses that a group lists before its bodies meet them
// Cells that the group has not looked at yet. From the second number on the group looks at one cell at a time; 64
// levels add at most 7 cells each.
#define WAITING 2048
#define CROWDED 1600

// A work-group walks the tree for GROUP bodies. It looks at as many cells at once, one an item. Cells that are far
// enough from the box of all its bodies are listed. The others are opened or, for a leaf, their bodies are listed.
// Lists are in the order of items, so sums repeat bit for bit. The groups are those from body share_first on. Sums are
// written in the bodies' original order, or in the order of the tree from share_first on.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void walk_groups(
    global const REAL4* bodies, ulong bodies_at, global const uint* order, ulong order_at, global const uint4* cells, ulong cells_at,
    global const REAL4* centres, ulong centres_at, global const REAL8* moments, ulong moments_at, global REAL* sizes, ulong sizes_at,
    global REAL4* out, ulong out_at, ulong n, REAL softening, REAL gravity, REAL criterion, uint quadrupoles, uint potentials, uint relative,
    uint measures, ulong share_first, uint in_tree_order) {
  local uint waiting[WAITING];
  local REAL4 masses[LISTED], listed_centres[GROUP], corners[2 * GROUP];
  local REAL8 listed_moments[GROUP];
  local uint counts[GROUP], leaf_first[GROUP], leaf_end[GROUP];
  local REAL least_sizes[GROUP];
  const uint item = get_local_id(0);
  const ulong group_first = share_first + get_group_id(0) * GROUP, group_end = min(group_first + GROUP, n), mine = min(group_first + item, n - 1);
  bodies += bodies_at;
  const REAL4 here = bodies[mine];
  REAL4 sum = 0;

  // The box of the group, and the least acceleration in it.
  corners[item] = here;
  corners[GROUP + item] = here;
  least_sizes[item] = relative ? sizes[sizes_at + mine] : 0;
  masses[item] = here;
  for (uint step = GROUP / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // the step before, or the bodies, are written
    if (item < step) {
      corners[item] = fmin(corners[item], corners[item + step]);
      corners[GROUP + item] = fmax(corners[GROUP + item], corners[GROUP + item + step]);
      least_sizes[item] = fmin(least_sizes[item], least_sizes[item + step]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the last step is written
  const REAL4 middle = corners[0] / 2 + corners[GROUP] / 2, half_wide = fmax(corners[GROUP] - middle, middle - corners[0]);
  const REAL least_size = least_sizes[0];

  // The group's own bodies, none of which pulls itself.
  for (uint j = 0; j < (uint)(group_end - group_first); ++j)
    if (j != item) sum += pull_of(masses[j], here, softening);
  if (item == 0) waiting[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  // the list may be written anew, and the root waits

  uint depth = 1, mass_count = 0, cell_count = 0;
  while (depth > 0) {
    const uint space = depth < CROWDED ? (CROWDED - depth) / 7 + 1 : 1, at_once = min(min(depth, (uint)GROUP), space);
    const bool has = item < at_once;
    uint c = 0;
    if (has) c = waiting[depth - 1 - item];
    depth -= at_once;
    uint4 cell = 0;
    REAL4 centre = 0;
    if (has) {
      cell = cells[cells_at + c];
      centre = centres[centres_at + c];
    }
    bool take = has && (cell.y <= group_first || cell.x >= group_end);
    if (take && centre.w > 0) {
      const REAL4 off = fmax(fabs(centre - middle) - half_wide, (REAL4)0);
      const REAL square = off.x * off.x + off.y * off.y + off.z * off.z;
      take = square > centre.w;
      // Its error is some mass · (size / 2)^p / distance^(p + 2).
      if (take && relative)
        take = moments[moments_at + c].s7 <= criterion * least_size * square * square * (quadrupoles ? sqrt(square) : (REAL)1);
    }
    const bool as_mass = take && (!quadrupoles || centre.w == 0), as_cell = take && !as_mass;
    const uint children = has && !take ? cell.w : 0;
    const bool leaf = has && !take && children == 0;
    leaf_first[item] = leaf ? cell.x : 0;
    leaf_end[item] = leaf ? cell.y : 0;

    // One scan for all three: children in the upper 16 bits, then cells and masses in 8 each.
    uint before = children << 16 | (as_cell ? 1u << 8 : 0) | (as_mass ? 1u : 0);
    const uint own = before;
    counts[item] = before;
    for (uint step = 1; step < GROUP; step *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);  // the step before is written
      const uint left = item >= step ? counts[item - step] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);  // and read
      before += left;
      counts[item] = before;
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the counts are written, and the cells taken from `waiting` are read
    const uint all = counts[GROUP - 1];
    before -= own;
    const uint new_cells = all >> 8 & 255, new_masses = all & 255;
    for (uint k = 0; k < children; ++k) waiting[depth + (before >> 16) + k] = cell.z + k;
    depth += all >> 16;

    if (cell_count + new_cells > GROUP) {
      for (uint j = 0; j < cell_count; ++j) sum += pull_of_cell(listed_centres[j], listed_moments[j], here, softening);
      cell_count = 0;
      barrier(CLK_LOCAL_MEM_FENCE);  // the list may be written anew
    }
    if (as_cell) {
      listed_centres[cell_count + (before >> 8 & 255)] = centre;
      listed_moments[cell_count + (before >> 8 & 255)] = moments[moments_at + c];
    }
    cell_count += new_cells;
    if (mass_count + new_masses > LISTED) {
      for (uint j = 0; j < mass_count; ++j) sum += pull_of(masses[j], here, softening);
      mass_count = 0;
      barrier(CLK_LOCAL_MEM_FENCE);  // the list may be written anew
    }
    if (as_mass) {
      centre.w = moments[moments_at + c].s0;
      masses[mass_count + (before & 255)] = centre;
    }
    mass_count += new_masses;
    for (uint l = 0; l < at_once; ++l) {
      const uint first = leaf_first[l], end = leaf_end[l];
      if (first == end) continue;
      // Those bodies of a leaf that are before the group's own bodies, and those after them.
      const uint stop = min((ulong)end, group_first) > first ? (uint)min((ulong)end, group_first) - first : 0;
      const uint second = (uint)max((ulong)first, group_end), others = stop + (second < end ? end - second : 0);
      if (mass_count + others > LISTED) {
        barrier(CLK_LOCAL_MEM_FENCE);  // all items' masses are listed
        for (uint j = 0; j < mass_count; ++j) sum += pull_of(masses[j], here, softening);
        mass_count = 0;
        barrier(CLK_LOCAL_MEM_FENCE);  // the list may be written anew
      }
      if (item < others) masses[mass_count + item] = bodies[item < stop ? first + item : second + (item - stop)];
      mass_count += others;
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // waiting and listed cells are written, and leaves and counts are read
  }
  for (uint j = 0; j < mass_count; ++j) sum += pull_of(masses[j], here, softening);
  for (uint j = 0; j < cell_count; ++j) sum += pull_of_cell(listed_centres[j], listed_moments[j], here, softening);

  if (group_first + item >= n) return;
  if (measures) {
    sizes[sizes_at + mine] = sqrt(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z);
  } else {
    sum *= gravity;
    if (!potentials) sum.w = 0;
    out[out_at + (in_tree_order ? mine - share_first : order[order_at + mine])] = sum;
  }
}
