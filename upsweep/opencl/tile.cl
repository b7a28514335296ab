// A tile, and how a work-group of LANES work-items loads and folds it. A tile is ROWS rows of LANES vectors of V
// elements, in memory order. A row is read with one 16-byte access an item, all adjacent. Elements stay in registers;
// only the fold of each vector goes through local memory, as entry row·LANES + lane of `rows`. Then item l takes the
// ROWS entries from l·ROWS on, which are neighbours in memory order. ROWS is odd, so that the items' reads fall into
// different banks.

#define TILE (ROWS * LANES * V)

#if V == 4
#define UNPACK(x, vector) { const VECTOR w = (vector); (x)[0] = w.s0; (x)[1] = w.s1; (x)[2] = w.s2; (x)[3] = w.s3; }
#define PACK(x) ((VECTOR)((x)[0], (x)[1], (x)[2], (x)[3]))
#define LOAD_ANYWHERE(p) vload4(0, p)
#define STORE_ANYWHERE(p, v) vstore4(v, 0, p)
#elif V == 2
#define UNPACK(x, vector) { const VECTOR w = (vector); (x)[0] = w.s0; (x)[1] = w.s1; }
#define PACK(x) ((VECTOR)((x)[0], (x)[1]))
#define LOAD_ANYWHERE(p) vload2(0, p)
#define STORE_ANYWHERE(p, v) vstore2(v, 0, p)
#else
#define UNPACK(x, vector) (x)[0] = (vector);
#define PACK(x) ((x)[0])
#define LOAD_ANYWHERE(p) (*(p))
#define STORE_ANYWHERE(p, v) (*(p) = (v))
#endif

// Operands need only be aligned to an element; the host also defines when they are aligned to a vector.
#if ALIGNED_IN
#define LOAD(p) (*(global const VECTOR*)(p))
#else
#define LOAD(p) LOAD_ANYWHERE(p)
#endif
#if ALIGNED_OUT
#define STORE(p, v) (*(global VECTOR*)(p) = (v))
#else
#define STORE(p, v) STORE_ANYWHERE(p, v)
#endif

static inline bool whole(ulong tile, ulong n) { return (tile + 1) * TILE <= n; }

// Rows are a constant distance apart, so one address serves them all.
static inline void load_tile(global const T* in, ulong n, ulong tile, T raw[ROWS][V]) {
  const uint l = (uint)get_local_id(0);
  in += tile * TILE + l * V;
  if (whole(tile, n)) {
#pragma unroll
    for (uint r = 0; r < ROWS; ++r) UNPACK(raw[r], LOAD(in + r * LANES * V))
  } else {
    const uint here = (uint)(n - tile * TILE);
#pragma unroll
    for (uint r = 0; r < ROWS; ++r)
#pragma unroll
      for (uint v = 0; v < V; ++v) {
        raw[r][v] = IDENTITY;
        if ((r * LANES + l) * V + v < here) raw[r][v] = in[r * LANES * V + v];
      }
  }
}

// The elements as they are folded; the identity past the end.
static inline void feed_tile(ulong n, ulong tile, T raw[ROWS][V], T x[ROWS][V]) {
#pragma unroll
  for (uint r = 0; r < ROWS; ++r)
#pragma unroll
    for (uint v = 0; v < V; ++v) x[r][v] = X(raw[r][v]);
  if (!whole(tile, n)) {
    const uint l = (uint)get_local_id(0), here = (uint)(n - tile * TILE);
#pragma unroll
    for (uint r = 0; r < ROWS; ++r)
#pragma unroll
      for (uint v = 0; v < V; ++v)
        if ((r * LANES + l) * V + v >= here) x[r][v] = IDENTITY;
  }
}

// The fold of `mine` over the items before this one, and over all items. `lanes` has LANES and `eights` LANES / 8
// entries. Between two calls there must be a barrier.
static inline carrier_t group_scan(carrier_t mine, local carrier_t* lanes, local carrier_t* eights, carrier_t* total) {
  const uint l = (uint)get_local_id(0);
  lanes[l] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);  // every item's value, before one item folds eight of them
  if (l < LANES / 8) {
    carrier_t sum = lanes[8 * l];
#pragma unroll
    for (uint k = 1; k < 8; ++k) sum = join_carriers(sum, lanes[8 * l + k]);
    eights[l] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the eights' folds, before all items read them
  carrier_t before = CARRIER_IDENTITY, all = before;
#pragma unroll
  for (uint k = 0; k < LANES / 8; ++k) {
    if (k == l / 8) before = all;
    all = join_carriers(all, eights[k]);
  }
#pragma unroll
  for (uint k = 0; k < 7; ++k)
    if (k < l % 8) before = join_carriers(before, lanes[(l & ~7u) + k]);
  *total = all;
  return before;
}

// First half of a tile's scan: the fold of this item's entries' predecessors, and the tile's. `rows` has ROWS·LANES
// entries.
static inline carrier_t fold_rows(T x[ROWS][V], local carrier_t* rows, local carrier_t* lanes, local carrier_t* eights, carrier_t* total) {
  const uint l = (uint)get_local_id(0);
#pragma unroll
  for (uint r = 0; r < ROWS; ++r) {
    carrier_t sum = to_carrier(x[r][0]);
#pragma unroll
    for (uint v = 1; v < V; ++v) sum = join_carriers(sum, to_carrier(x[r][v]));
    rows[r * LANES + l] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all entries, written row by row, before each item reads neighbours
  carrier_t mine = rows[l * ROWS];
#pragma unroll
  for (uint k = 1; k < ROWS; ++k) mine = join_carriers(mine, rows[l * ROWS + k]);
  return group_scan(mine, lanes, eights, total);
}

// Second half: each entry becomes the fold of the entries before it. Each item accesses only its own entries; the
// others' may be read after a barrier.
static inline void spread_rows(carrier_t before, local carrier_t* rows) {
  const uint l = (uint)get_local_id(0);
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) {
    const carrier_t sum = rows[l * ROWS + k];
    rows[l * ROWS + k] = before;
    before = join_carriers(before, sum);
  }
}

// The scanned tile, seeded with the fold of all elements before it. The tile's first prefix is that seed itself.
static inline void store_tile(global T* out, ulong n, ulong tile, T x[ROWS][V], carrier_t seed, local const carrier_t* rows) {
  const uint l = (uint)get_local_id(0);
  const bool all = whole(tile, n);
  const uint here = all ? TILE : (uint)(n - tile * TILE);
  out += tile * TILE + l * V;
  rows += l;
#pragma unroll
  for (uint r = 0; r < ROWS; ++r) {
    carrier_t run = seed;
    if (r || l) run = join_carriers(seed, rows[r * LANES]);
    T y[V];
#pragma unroll
    for (uint v = 0; v < V; ++v) {
#if INCLUSIVE
      run = join_carriers(run, to_carrier(x[r][v]));
      y[v] = from_carrier(run);
#else
      y[v] = from_carrier(run);
      run = join_carriers(run, to_carrier(x[r][v]));
#endif
    }
    if (all) {
      STORE(out + r * LANES * V, PACK(y));
    } else {
#pragma unroll
      for (uint v = 0; v < V; ++v)
        if ((r * LANES + l) * V + v < here) out[r * LANES * V + v] = y[v];
    }
  }
}
