// The library's reduce in OpenCL C. Each work-group folds a contiguous chunk; a second launch folds the chunks' results
// in order.
// No group waits for another. n - 1 applications, n elements read.
//
// ONE_LAUNCH: after opencl/warp.cl, the last group to end folds them instead, in the same order.
//
// On GPUs (LANES > 1) an operator that commutes is folded item by item over all tiles of the chunk, with one exchange
// at the end;
// one that does not needs the tile's order (opencl/tile.cl). On CPUs (LANES == 1) a group is one item.

// init ∘ total; with nothing to fold, init itself.
static inline T seeded(T init, T total, ulong n) { return n ? OP(init, total) : init; }

#if LANES == 1

// Where the operator commutes 32 accumulators take the elements in turn, which the compiler makes SIMD registers of.
// Otherwise eight contiguous parts of the chunk are folded side by side, so that their dependent chains overlap.
kernel void fold_chunks(global const T* in, ulong in_at, global T* partials, ulong partials_at, ulong n, uint tiles_each, const T init,
                        uint alone) {
  const ulong first = get_group_id(0) * (ulong)CHUNK, last = min(first + CHUNK, n);
  in += in_at;
  T total = IDENTITY;
#if COMMUTES
  T acc[32];
  for (uint k = 0; k < 32; ++k) acc[k] = IDENTITY;
  ulong i = first;
  for (; i + 32 <= last; i += 32)
    for (uint k = 0; k < 32; ++k) acc[k] = OP(acc[k], X(in[i + k]));
  for (uint width = 16; width; width /= 2)
    for (uint k = 0; k < width; ++k) acc[k] = OP(acc[k], acc[k + width]);
  total = acc[0];
#else
  const ulong part = (last - first) / 8;
  T acc[8];
  for (uint k = 0; k < 8; ++k) acc[k] = IDENTITY;
  for (ulong j = 0; j < part; ++j)
    for (uint k = 0; k < 8; ++k) acc[k] = OP(acc[k], X(in[first + k * part + j]));
  for (uint k = 0; k < 8; ++k) total = OP(total, acc[k]);
  ulong i = first + 8 * part;
#endif
  for (; i < last; ++i) total = OP(total, X(in[i]));
  partials[partials_at + get_group_id(0)] = alone ? seeded(init, total, n) : total;
}

kernel void fold_partials(global const T* partials, ulong partials_at, uint count, global T* out, ulong out_at, const T init) {
  T total = partials[partials_at];
  for (uint i = 1; i < count; ++i) total = OP(total, partials[partials_at + i]);
  out[out_at] = OP(init, total);
}

#else

#define GROUP kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))

// One group: the fold of all chunks. Item l has a contiguous run of their results.
static inline T fold_all(global const T* partials, uint count, local T* lanes, local T* eights) {
  const uint l = (uint)get_local_id(0), each = (count + LANES - 1) / LANES, first = min(l * each, count), last = min(first + each, count);
  T mine = IDENTITY, total;
  for (uint i = first; i < last; ++i) mine = OP(mine, partials[i]);
  group_scan(mine, lanes, eights, &total);
  return total;
}

// Group g has the tiles from g·tiles_each on. `alone`: there is one group, and its result is the answer.
GROUP void fold_chunks(global const T* in, ulong in_at, global T* partials, ulong partials_at, ulong n, uint tiles_each, const T init,
                       uint alone
#if ONE_LAUNCH
                       , global T* out, ulong out_at, global uint* arrived, ulong arrived_at
#endif
                       ) {
  local T lanes[LANES], eights[LANES / 8];
  const ulong tiles = (n + TILE - 1) / TILE, first = get_group_id(0) * (ulong)tiles_each, last = min(first + tiles_each, tiles);
  in += in_at;
  T total;
#if COMMUTES
  T acc[V];
  for (uint v = 0; v < V; ++v) acc[v] = IDENTITY;
  for (ulong tile = first; tile < last; ++tile) {
    T raw[ROWS][V], x[ROWS][V];
    load_tile(in, n, tile, raw);
    feed_tile(n, tile, raw, x);
#pragma unroll
    for (uint r = 0; r < ROWS; ++r)
#pragma unroll
      for (uint v = 0; v < V; ++v) acc[v] = OP(acc[v], x[r][v]);
  }
  T mine = acc[0];
  for (uint v = 1; v < V; ++v) mine = OP(mine, acc[v]);
  group_scan(mine, lanes, eights, &total);
#else
  local T rows[ROWS * LANES];
  T run = IDENTITY;
  for (ulong tile = first; tile < last; ++tile) {
    T raw[ROWS][V], x[ROWS][V];
    load_tile(in, n, tile, raw);
    feed_tile(n, tile, raw, x);
    fold_rows(x, rows, lanes, eights, &total);
    run = OP(run, total);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before the next tile overwrites it
  }
  total = run;
#endif
  if (get_local_id(0) == 0) partials[partials_at + get_group_id(0)] = alone ? seeded(init, total, n) : total;
#if ONE_LAUNCH
  local uint last_group;
  const uint groups = (uint)get_num_groups(0);
  if (alone) return;
  if (get_local_id(0) == 0) {
    device_fence();  // the chunk's result comes before the group's arrival
    last_group = atomic_inc(arrived + arrived_at) == groups - 1;
    device_fence();  // the other chunks' results come after their arrival
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all know whether theirs is the last group, and have read `lanes`
  if (!last_group) return;
  total = fold_all(partials + partials_at, groups, lanes, eights);
  if (get_local_id(0) == 0) {
    out[out_at] = OP(init, total);
    arrived[arrived_at] = 0;
  }
#endif
}

GROUP void fold_partials(global const T* partials, ulong partials_at, uint count, global T* out, ulong out_at, const T init) {
  local T lanes[LANES], eights[LANES / 8];
  const T total = fold_all(partials + partials_at, count, lanes, eights);
  if (get_local_id(0) == 0) out[out_at] = OP(init, total);
}
#endif
