// Segmented folds in OpenCL C, after opencl/operators.cl. The scanned values are pairs (f, x) of a flag, whether the
// folded elements contain a head, and a fold: (f, x) ∘ (g, y) = (f or g, g ? y : x ∘ y). Three launches, and no group
// waits for another; operands keep their order.
//   fold_heads       each work-group folds its contiguous run of tiles to one pair
//   scan_heads       one group scans the pairs
//   scan_by_heads    each group scans its tiles from there
// Heads are one byte an element. With SEEDED, init precedes the elements of each head.

#define GROUP kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
#define TILE (LANES * ROWS)

typedef struct {
  carrier_t x;
  uint headed;
} pair;

static inline pair both(pair a, pair b) {
  if (b.headed) return b;
  b.x = join_carriers(a.x, b.x);
  b.headed = a.headed;
  return b;
}

#define NOTHING(p) { (p).x = CARRIER_IDENTITY; (p).headed = 0; }

static inline T seeded(T x, bool head, uint with_init, T init) { return head && with_init ? OP(init, x) : x; }

// The fold of the items before this one; *total is that of all. `values` and `heads` have LANES entries. Between two
// calls there must be a barrier. There is an identity for every operator, so item 0 begins with it.
static inline pair group_scan_pairs(pair mine, local carrier_t* values, local uint* heads, pair* total) {
  const uint l = (uint)get_local_id(0);
  values[l] = mine.x;
  heads[l] = mine.headed;
  for (uint distance = 1; distance < LANES; distance *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // all entries of this step
    pair before;
    if (l >= distance) {
      before.x = values[l - distance];
      before.headed = heads[l - distance];
      mine = both(before, mine);
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // all are read, before they change
    values[l] = mine.x;
    heads[l] = mine.headed;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the last step
  total->x = values[LANES - 1];
  total->headed = heads[LANES - 1];
  pair before;
  NOTHING(before)
  if (l) {
    before.x = values[l - 1];
    before.headed = heads[l - 1];
  }
  return before;
}

// Tiles pass through local memory, so that the items' accesses to global memory are adjacent. A gap after every 128
// bytes puts neighbours into different banks. `cells` has SPACED(TILE) entries.
#define SPACED(i) ((i) + (i) / (sizeof(T) < 128 ? 128 / sizeof(T) : 1))

// An item's ROWS neighbours, and their fold. Past the end there are identities.
static inline pair read_neighbours(global const T* in, global const uchar* heads, ulong start, uint here, uint with_init, T init, local T* cells,
                                   T x[ROWS], uchar head[ROWS]) {
  const uint l = (uint)get_local_id(0), mine = l * ROWS;
#pragma unroll
  for (uint r = 0; r < ROWS; ++r)
    if (r * LANES + l < here) cells[SPACED(r * LANES + l)] = in[start + r * LANES + l];
  barrier(CLK_LOCAL_MEM_FENCE);  // the tile, before each item reads neighbours
  pair sum;
  NOTHING(sum)
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) {
    x[k] = IDENTITY;
    head[k] = 0;
    if (mine + k < here) {
      head[k] = heads[start + mine + k];
      x[k] = seeded(X(cells[SPACED(mine + k)]), head[k], with_init, init);
    }
    pair one;
    one.x = to_carrier(x[k]);
    one.headed = head[k];
    if (k == 0) sum = one; else if (mine + k < here) sum = both(sum, one);
  }
  return sum;
}

GROUP void fold_heads(global const T* in, ulong in_at, global const uchar* heads, ulong heads_at, global carrier_t* folds, ulong folds_at, global uint* headed,
                      ulong headed_at, ulong n, uint tiles_each, const T init, uint with_init) {
  local carrier_t values[LANES];
  local T cells[SPACED(TILE)];
  local uint flags[LANES];
  const ulong tiles = (n + TILE - 1) / TILE, first = (ulong)get_group_id(0) * tiles_each, last = min(first + tiles_each, tiles);
  pair run;
  NOTHING(run)
  for (ulong tile = first; tile < last; ++tile) {
    T x[ROWS];
    uchar head[ROWS];
    pair total;
    group_scan_pairs(read_neighbours(in + in_at, heads + heads_at, tile * TILE, (uint)min((ulong)TILE, n - tile * TILE), with_init, init, cells, x, head),
                     values, flags, &total);
    run = tile == first ? total : both(run, total);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read the total, before the next tile's overwrites it
  }
  if (get_local_id(0) == 0) {
    folds[folds_at + get_group_id(0)] = run.x;
    headed[headed_at + get_group_id(0)] = run.headed;
  }
}

// Afterwards each group's entry is the fold of the groups before it.
GROUP void scan_heads(global carrier_t* folds, ulong folds_at, global uint* headed, ulong headed_at, uint groups) {
  local carrier_t values[LANES];
  local uint flags[LANES];
  const uint l = (uint)get_local_id(0);
  folds += folds_at;
  headed += headed_at;
  pair run;
  NOTHING(run)
  for (uint base = 0; base < groups; base += LANES) {
    pair mine, total;
    NOTHING(mine)
    if (base + l < groups) {
      mine.x = folds[base + l];
      mine.headed = headed[base + l];
    }
    const pair before = group_scan_pairs(mine, values, flags, &total);
    const pair all = l ? both(run, before) : run;
    if (base + l < groups) {
      folds[base + l] = all.x;
      headed[base + l] = all.headed;
    }
    run = both(run, total);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read the total, before the next round overwrites it
  }
}

// Elements before the first head are in no segment and never written, so any identities may be folded for them. With
// bounds, only elements in [bounds[0], bounds[m]) are written.
GROUP void scan_by_heads(global const T* in, ulong in_at, global const uchar* heads, ulong heads_at, global T* out, ulong out_at, global const carrier_t* folds,
                         ulong folds_at, global const ulong* bounds, ulong bounds_at, ulong m, uint bounded, ulong n, uint tiles_each, const T init,
                         uint with_init, uint inclusive) {
  local carrier_t values[LANES];
  local T cells[SPACED(TILE)];
  local uint flags[LANES];
  const uint l = (uint)get_local_id(0);
  const ulong tiles = (n + TILE - 1) / TILE, first = (ulong)get_group_id(0) * tiles_each, last = min(first + tiles_each, tiles);
  const ulong begin = bounded ? bounds[bounds_at] : 0, end = bounded ? bounds[bounds_at + m] : n;
  out += out_at;
  pair run;
  run.x = folds[folds_at + get_group_id(0)];
  run.headed = 0;
  for (ulong tile = first; tile < last; ++tile) {
    const ulong start = tile * TILE;
    const uint here = (uint)min((ulong)TILE, n - start), mine = l * ROWS;
    T x[ROWS];
    uchar head[ROWS];
    pair total;
    pair before = group_scan_pairs(read_neighbours(in + in_at, heads + heads_at, start, here, with_init, init, cells, x, head), values, flags, &total);
    carrier_t sum = run.x;
    if (l != 0) sum = join_carriers(run.x, before.x);
    if (l != 0 && before.headed) sum = before.x;
#pragma unroll
    for (uint k = 0; k < ROWS; ++k)
      if (mine + k < here) {
        carrier_t next = to_carrier(x[k]);
        if (!head[k]) next = join_carriers(sum, next);
        cells[SPACED(mine + k)] = inclusive ? from_carrier(next) : head[k] ? init : from_carrier(sum);
        sum = next;
      }
    run = both(run, total);
    barrier(CLK_LOCAL_MEM_FENCE);  // the tile's results, before they are written side by side
#pragma unroll
    for (uint r = 0; r < ROWS; ++r) {
      const ulong i = start + r * LANES + l;
      if (r * LANES + l < here && begin <= i && i < end) out[i] = cells[SPACED(r * LANES + l)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // all are written, before the next tile comes
  }
}

// Stores the last value of each run's scan.
kernel void last_of_runs(global const T* scan, ulong scan_at, global const ulong* starts, ulong starts_at, global const ulong* count, ulong count_at,
                         global T* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0), runs = count[count_at];
  if (i < runs) out[out_at + i] = scan[scan_at + (i + 1 < runs ? starts[starts_at + i + 1] : n) - 1];
}

// Stores the last value of each segment's scan, or init if the segment is empty.
kernel void last_of_segments(global const T* scan, ulong scan_at, global const ulong* offsets, ulong offsets_at, global T* out, ulong out_at, ulong m,
                             const T init) {
  const ulong s = get_global_id(0);
  if (s >= m) return;
  offsets += offsets_at;
  if (offsets[s] < offsets[s + 1]) out[out_at + s] = scan[scan_at + offsets[s + 1] - 1];
  else out[out_at + s] = init;
}
