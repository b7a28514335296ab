// reduce in OpenCL C. Each work-group folds a contiguous chunk; a second launch folds the results of the chunks in
// order. No group waits for another. n - 1 applications, n elements read.
//
// ONE_LAUNCH (requires opencl/warp.cl): the last group to end folds the results instead, in the same order.
//
// On GPUs (LANES > 1) a commutative operator is folded per work-item over all tiles of the chunk, with one exchange at
// the end; any other operator needs the order of the tile (opencl/tile.cl). On CPUs (LANES == 1) a group is one
// work-item.

// The fold of a single group is the result, of type T, and is stored in `partials`. The folds of several groups are of
// type carrier_t.
#define PUT_FOLD(total)                                                                           \
  {                                                                                               \
    if (alone) ((global T*)partials)[partials_at + get_group_id(0)] = seeded(init, total, n);     \
    else partials[partials_at + get_group_id(0)] = total;                                         \
  }

// init ∘ total, or init if there are no elements.
static inline T seeded(T init, carrier_t total, ulong n) { return n ? from_carrier(join_carriers(to_carrier(init), total)) : init; }

#if LANES == 1

// With a commutative operator 32 accumulators take the elements in turn; the compiler keeps them in SIMD registers.
// With any other operator eight contiguous parts of the chunk are folded in an interleaved loop, so that their
// dependent chains overlap.
kernel void fold_chunks(global const T* in, ulong in_at, global carrier_t* partials, ulong partials_at, ulong n, uint tiles_each, const T init,
                        uint alone) {
  const ulong first = get_group_id(0) * (ulong)CHUNK, last = min(first + CHUNK, n);
  in += in_at;
  carrier_t total = CARRIER_IDENTITY;
#if COMMUTES
  carrier_t acc[32];
  for (uint k = 0; k < 32; ++k) acc[k] = CARRIER_IDENTITY;
  ulong i = first;
  for (; i + 32 <= last; i += 32)
    for (uint k = 0; k < 32; ++k) acc[k] = join_carriers(acc[k], to_carrier(X(in[i + k])));
  for (uint width = 16; width; width /= 2)
    for (uint k = 0; k < width; ++k) acc[k] = join_carriers(acc[k], acc[k + width]);
  total = acc[0];
#else
  const ulong part = (last - first) / 8;
  carrier_t acc[8];
  for (uint k = 0; k < 8; ++k) acc[k] = CARRIER_IDENTITY;
  for (ulong j = 0; j < part; ++j)
    for (uint k = 0; k < 8; ++k) acc[k] = join_carriers(acc[k], to_carrier(X(in[first + k * part + j])));
  for (uint k = 0; k < 8; ++k) total = join_carriers(total, acc[k]);
  ulong i = first + 8 * part;
#endif
  for (; i < last; ++i) total = join_carriers(total, to_carrier(X(in[i])));
  PUT_FOLD(total)
}

kernel void fold_partials(global const carrier_t* partials, ulong partials_at, uint count, global T* out, ulong out_at, const T init) {
  carrier_t total = partials[partials_at];
  for (uint i = 1; i < count; ++i) total = join_carriers(total, partials[partials_at + i]);
  out[out_at] = from_carrier(join_carriers(to_carrier(init), total));
}

#else

#define GROUP kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))

// One group: the fold of all chunks. Work-item l takes a contiguous run of their results.
static inline carrier_t fold_all(global const carrier_t* partials, uint count, local carrier_t* lanes, local carrier_t* eights) {
  const uint l = (uint)get_local_id(0), each = (count + LANES - 1) / LANES, first = min(l * each, count), last = min(first + each, count);
  carrier_t mine = CARRIER_IDENTITY, total;
  for (uint i = first; i < last; ++i) mine = join_carriers(mine, partials[i]);
  group_scan(mine, lanes, eights, &total);
  return total;
}

// Group g takes the tiles from g·tiles_each on. `alone`: there is only one group, and its fold is the result.
GROUP void fold_chunks(global const T* in, ulong in_at, global carrier_t* partials, ulong partials_at, ulong n, uint tiles_each, const T init,
                       uint alone
#if ONE_LAUNCH
                       , global T* out, ulong out_at, global uint* arrived, ulong arrived_at
#endif
                       ) {
  local carrier_t lanes[LANES], eights[LANES / 8];
  const ulong tiles = (n + TILE - 1) / TILE, first = get_group_id(0) * (ulong)tiles_each, last = min(first + tiles_each, tiles);
  in += in_at;
  carrier_t total;
#if COMMUTES
  carrier_t acc[V];
  for (uint v = 0; v < V; ++v) acc[v] = CARRIER_IDENTITY;
  for (ulong tile = first; tile < last; ++tile) {
    T raw[ROWS][V], x[ROWS][V];
    load_tile(in, n, tile, raw);
    feed_tile(n, tile, raw, x);
#pragma unroll
    for (uint r = 0; r < ROWS; ++r)
#pragma unroll
      for (uint v = 0; v < V; ++v) acc[v] = join_carriers(acc[v], to_carrier(x[r][v]));
  }
  carrier_t mine = acc[0];
  for (uint v = 1; v < V; ++v) mine = join_carriers(mine, acc[v]);
  group_scan(mine, lanes, eights, &total);
#else
  local carrier_t rows[ROWS * LANES];
  carrier_t run = CARRIER_IDENTITY;
  for (ulong tile = first; tile < last; ++tile) {
    T raw[ROWS][V], x[ROWS][V];
    load_tile(in, n, tile, raw);
    feed_tile(n, tile, raw, x);
    fold_rows(x, rows, lanes, eights, &total);
    run = join_carriers(run, total);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before the next tile overwrites it
  }
  total = run;
#endif
  if (get_local_id(0) == 0) PUT_FOLD(total)
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
    out[out_at] = from_carrier(join_carriers(to_carrier(init), total));
    arrived[arrived_at] = 0;
  }
#endif
}

GROUP void fold_partials(global const carrier_t* partials, ulong partials_at, uint count, global T* out, ulong out_at, const T init) {
  local carrier_t lanes[LANES], eights[LANES / 8];
  const carrier_t total = fold_all(partials + partials_at, count, lanes, eights);
  if (get_local_id(0) == 0) out[out_at] = from_carrier(join_carriers(to_carrier(init), total));
}
#endif
