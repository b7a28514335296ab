// scan in OpenCL C, with two algorithms. Each has two forms. For GPUs work-groups of LANES items process tiles
// (opencl/tile.cl). For CPUs, LANES == 1, a work-group is one item with a long contiguous chunk.
//
// reduce-then-scan: fold_chunks, scan_partials, scan_chunks, one launch each. No group waits for another, so it runs on
// every device. Work 2n, moves 3n elements.
//
// decoupled-lookback: one launch, moves 2n elements. Groups take tiles by ticket, so groups that have begun hold all
// predecessors of a tile. A group publishes the fold of its tile, tagged with the epoch of the launch. Tags of earlier
// launches never match, so nothing is cleared. Then the group folds the values published for the tiles since its own
// last tile.

// A value and its tag in 64-bit words, each written and read atomically. No fence is needed, because no other data is
// passed.
#if WORDS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#if VOLATILE_WRITES
#define PUT_WORD(p, w) (*(volatile global ulong*)(p) = (w))
#else
#define PUT_WORD(p, w) atom_xchg((volatile global ulong*)(p), w)
#endif
#if VOLATILE_READS
#define GET_WORD(p) (*(volatile global ulong*)(p))
#else
#define GET_WORD(p) atom_add((volatile global ulong*)(p), 0ul)
#endif

static inline void publish(global ulong* states, uint at, carrier_t x, uint epoch) {
  const ulong tag = (ulong)epoch << 32;
  union { carrier_t value; uint word[WORDS]; } bits;
  bits.value = x;
  for (uint k = 0; k < WORDS; ++k) PUT_WORD(states + WORDS * (ulong)at + k, tag | bits.word[k]);
}

// Whether the value has been published.
static inline bool seen(global ulong* states, uint at, uint epoch, carrier_t* x) {
  union { uint word[WORDS]; carrier_t value; } bits;
  bool here = true;
  for (uint k = 0; k < WORDS; ++k) {
    const ulong w = GET_WORD(states + WORDS * (ulong)at + k);
    bits.word[k] = (uint)w;
    here = here && (uint)(w >> 32) == epoch;
  }
  *x = bits.value;
  return here;
}

// The last group to leave resets the counters for the next launch: [0] is the next ticket, [1] counts groups that left.
static inline void leave(global uint* counters) {
  if (atomic_inc(counters + 1) == get_num_groups(0) - 1) {
    atomic_xchg(counters, 0u);
    atomic_xchg(counters + 1, 0u);
  }
}
#endif

#if LANES == 1

// A chunk is STREAMS consecutive parts. They are processed in an interleaved loop, so that their dependent chains
// overlap.
#define PART (CHUNK / STREAMS)

static inline ulong part_start(ulong chunk, uint part, ulong n) { return min(chunk * CHUNK + part * (ulong)PART, n); }

static inline void fold_parts(global const T* in, ulong n, ulong chunk, carrier_t sums[STREAMS]) {
#if COMMUTES
  for (uint s = 0; s < STREAMS; ++s) {
    const ulong first = part_start(chunk, s, n), last = part_start(chunk, s + 1, n);
    carrier_t acc[16];
    for (uint k = 0; k < 16; ++k) acc[k] = CARRIER_IDENTITY;
    ulong i = first;
    for (; i + 16 <= last; i += 16)
      for (uint k = 0; k < 16; ++k) acc[k] = join_carriers(acc[k], to_carrier(X(in[i + k])));  // 16 chains: one SIMD register or two
    for (; i < last; ++i) acc[0] = join_carriers(acc[0], to_carrier(X(in[i])));
    for (uint width = 8; width; width /= 2)
      for (uint k = 0; k < width; ++k) acc[k] = join_carriers(acc[k], acc[k + width]);
    sums[s] = acc[0];
  }
#else
  for (uint s = 0; s < STREAMS; ++s) sums[s] = CARRIER_IDENTITY;
  if ((chunk + 1) * CHUNK <= n) {
    in += chunk * CHUNK;
    for (uint i = 0; i < PART; ++i)
      for (uint s = 0; s < STREAMS; ++s) sums[s] = join_carriers(sums[s], to_carrier(X(in[s * PART + i])));
  } else {
    for (uint s = 0; s < STREAMS; ++s)
      for (ulong i = part_start(chunk, s, n); i < part_start(chunk, s + 1, n); ++i) sums[s] = join_carriers(sums[s], to_carrier(X(in[i])));
  }
#endif
}

#if INCLUSIVE
#define STEP(run, i) { run = join_carriers(run, to_carrier(X(in[i]))); out[i] = from_carrier(run); }
#else
#define STEP(run, i) { const T x = X(in[i]); out[i] = from_carrier(run); run = join_carriers(run, to_carrier(x)); }
#endif

static inline void scan_parts(global const T* in, global T* out, ulong n, ulong chunk, carrier_t run[STREAMS]) {
  if ((chunk + 1) * CHUNK <= n) {
    in += chunk * CHUNK;
    out += chunk * CHUNK;
    for (uint i = 0; i < PART; ++i)
#pragma unroll
      for (uint s = 0; s < STREAMS; ++s) STEP(run[s], s * PART + i)
  } else {
    for (uint s = 0; s < STREAMS; ++s)
      for (ulong i = part_start(chunk, s, n); i < part_start(chunk, s + 1, n); ++i) STEP(run[s], i)
  }
}

kernel void fold_chunks(global const T* in, ulong in_at, global carrier_t* partials, ulong partials_at, ulong n, uint tiles_each) {
  carrier_t sums[STREAMS];
  const ulong chunk = get_group_id(0);
  fold_parts(in + in_at, n, chunk, sums);
  for (uint s = 0; s < STREAMS; ++s) partials[partials_at + chunk * STREAMS + s] = sums[s];
}

kernel void scan_partials(global carrier_t* partials, ulong partials_at, uint count, const T init) {
  partials += partials_at;
  carrier_t run = to_carrier(init);
  for (uint i = 0; i < count; ++i) {
    const carrier_t x = partials[i];
    partials[i] = run;
    run = join_carriers(run, x);
  }
}

kernel void scan_chunks(global const T* in, ulong in_at, global T* out, ulong out_at, global const carrier_t* partials, ulong partials_at, ulong n,
                        uint tiles_each) {
  carrier_t run[STREAMS];
  const ulong chunk = get_group_id(0);
  for (uint s = 0; s < STREAMS; ++s) run[s] = partials[partials_at + chunk * STREAMS + s];
  scan_parts(in + in_at, out + out_at, n, chunk, run);
}

#if WORDS
static inline carrier_t after_parts(carrier_t run, const carrier_t sums[STREAMS]) {
  for (uint s = 0; s < STREAMS; ++s) run = join_carriers(run, sums[s]);
  return run;
}

// The fold of init and all chunks before this one. A chunk publishes the fold of everything up to its end, so look-back
// goes one step. But a predecessor whose thread is not running would be waited for during a whole time slice of the
// system. So after a while its chunk is folded again here, in the same order and therefore to the same bits, and no
// thread depends on the progress of another.
static inline carrier_t before_chunk(global const T* in, ulong n, global ulong* states, uint chunk, uint epoch, T init) {
  carrier_t known;
  if (chunk == 0) return to_carrier(init);
  for (uint polls = 0; polls < 2000; ++polls)
    if (seen(states, chunk - 1, epoch, &known)) return known;
  uint at = chunk - 1;
  while (at && !seen(states, at - 1, epoch, &known)) --at;
  carrier_t run = to_carrier(init);
  if (at) run = known;
  for (; at < chunk; ++at) {
    carrier_t sums[STREAMS];
    fold_parts(in, n, at, sums);
    run = after_parts(run, sums);
    // In place, the owner of the chunk may have overwritten the elements just read; but then it has published before.
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (seen(states, at, epoch, &known)) run = known;
  }
  return run;
}

// One group per chunk. The chunk is still in the cache when it is read again.
kernel void look_back(global const T* in, ulong in_at, global T* out, ulong out_at, global ulong* states, ulong states_at,
                      global uint* counters, ulong counters_at, ulong n, uint epoch, const T init) {
  states += states_at;
  in += in_at;
  const uint chunk = atomic_inc(counters + counters_at);
  carrier_t sums[STREAMS];
  fold_parts(in, n, chunk, sums);
  carrier_t run = before_chunk(in, n, states, chunk, epoch, init);
  publish(states, chunk, after_parts(run, sums), epoch);
  mem_fence(CLK_GLOBAL_MEM_FENCE);  // published before the chunk may be overwritten
  for (uint s = 0; s < STREAMS; ++s) {
    const carrier_t sum = sums[s];
    sums[s] = run;
    run = join_carriers(run, sum);
  }
  scan_parts(in, out + out_at, n, chunk, sums);
  leave(counters + counters_at);
}
#endif

#else

#define GROUP kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))

// Group g takes the tiles from g·tiles_each on.
GROUP void fold_chunks(global const T* in, ulong in_at, global carrier_t* partials, ulong partials_at, ulong n, uint tiles_each) {
  local carrier_t rows[ROWS * LANES], lanes[LANES], eights[LANES / 8];
  const ulong tiles = (n + TILE - 1) / TILE, first = get_group_id(0) * (ulong)tiles_each, last = min(first + tiles_each, tiles);
  in += in_at;
  carrier_t run = CARRIER_IDENTITY;
  for (ulong tile = first; tile < last; ++tile) {
    T raw[ROWS][V], x[ROWS][V];
    carrier_t total;
    load_tile(in, n, tile, raw);
    feed_tile(n, tile, raw, x);
    fold_rows(x, rows, lanes, eights, &total);
    run = join_carriers(run, total);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before the next tile overwrites it
  }
  if (get_local_id(0) == 0) partials[partials_at + get_group_id(0)] = run;
}

// Runs as one group.
GROUP void scan_partials(global carrier_t* partials, ulong partials_at, uint count, const T init) {
  local carrier_t lanes[LANES], eights[LANES / 8];
  const uint l = (uint)get_local_id(0);
  partials += partials_at;
  carrier_t run = to_carrier(init);
  for (uint base = 0; base < count; base += LANES) {
    carrier_t total, mine = CARRIER_IDENTITY;
    if (base + l < count) mine = partials[base + l];
    carrier_t before = group_scan(mine, lanes, eights, &total);
    before = join_carriers(run, before);
    if (l == 0) before = run;
    if (base + l < count) partials[base + l] = before;
    run = join_carriers(run, total);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before the next round overwrites it
  }
}

GROUP void scan_chunks(global const T* in, ulong in_at, global T* out, ulong out_at, global const carrier_t* partials, ulong partials_at, ulong n,
                       uint tiles_each) {
  local carrier_t rows[ROWS * LANES], lanes[LANES], eights[LANES / 8];
  const ulong tiles = (n + TILE - 1) / TILE, first = get_group_id(0) * (ulong)tiles_each, last = min(first + tiles_each, tiles);
  in += in_at;
  out += out_at;
  carrier_t run = partials[partials_at + get_group_id(0)];
  for (ulong tile = first; tile < last; ++tile) {
    T raw[ROWS][V], x[ROWS][V];
    carrier_t total;
    load_tile(in, n, tile, raw);
    feed_tile(n, tile, raw, x);
    spread_rows(fold_rows(x, rows, lanes, eights, &total), rows);
    barrier(CLK_LOCAL_MEM_FENCE);  // every entry's prefix, before the items read them row by row
    store_tile(out, n, tile, x, run, rows);
    run = join_carriers(run, total);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read `rows`, before the next tile overwrites it
  }
}

#if WORDS
// Tiles are folded in groups of eight, and eight groups are a batch. Batches begin at multiples of BATCH, whichever
// group folds them. So the grouping, and every bit of a float scan, depends only on the tile number and never on
// timing.
#define BATCH 64
#define AHEAD (8 * LANES)            // tiles that a group looks up at once
#define SLOT(i) ((i) + (i) / 8)      // a gap after every eight: items that fold eight each read from different banks
#define SLOTS (SLOT(AHEAD - 1) + 1)

// The fold of init and all tiles before `tile`. `run` is the fold of init and the first `*batches` batches; both
// advance. A barrier is required between two calls.
static inline carrier_t look_ahead(global ulong* states, uint tile, uint epoch, carrier_t* run, uint* batches, local carrier_t* slots, local carrier_t* lanes,
                           local carrier_t* eights) {
  const uint l = (uint)get_local_id(0), target = tile / BATCH;
  carrier_t prefix = *run;
  for (uint base = *batches * BATCH; base < tile; base += AHEAD) {
    // Adjacent items look up adjacent tiles, and wait for tiles that have not been published.
    carrier_t x[8];
    bool ready;
    do {
      ready = true;
#pragma unroll
      for (uint k = 0; k < 8; ++k) {
        const uint at = base + k * LANES + l;
        x[k] = CARRIER_IDENTITY;
        if (at < tile) ready &= seen(states, at, epoch, &x[k]);
      }
    } while (!ready);
#pragma unroll
    for (uint k = 0; k < 8; ++k) slots[SLOT(k * LANES + l)] = x[k];
    barrier(CLK_LOCAL_MEM_FENCE);  // all tiles' folds, before each item folds eight neighbours
    carrier_t sum = slots[9 * l];
#pragma unroll
    for (uint k = 1; k < 8; ++k) sum = join_carriers(sum, slots[9 * l + k]);
    lanes[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);  // the eights, before one item folds a batch of them
    if (l < LANES / 8) {
      sum = lanes[8 * l];
#pragma unroll
      for (uint k = 1; k < 8; ++k) sum = join_carriers(sum, lanes[8 * l + k]);
      eights[l] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the batches, before all items fold them
    for (uint k = 0; k < LANES / 8 && *batches < target; ++k, ++*batches) *run = join_carriers(*run, eights[k]);
    prefix = *run;
    // Tiles past the last whole batch: they are folded again when that batch is complete.
    const uint rest = target - base / BATCH;
    if (tile % BATCH && rest < LANES / 8) prefix = join_carriers(prefix, eights[rest]);
  }
  return prefix;
}

// Persistent groups. A group folds and publishes its next tile before it looks ahead for the current one. So the values
// that a prefix consists of have been published for a while when they are needed, and no group waits for the slowest.
// Meanwhile the group takes the ticket after the next.
GROUP void look_back(global const T* in, ulong in_at, global T* out, ulong out_at, global ulong* states, ulong states_at,
                     global uint* counters, ulong counters_at, ulong n, uint epoch, const T init) {
  local carrier_t rows[2 * ROWS * LANES], lanes[LANES], eights[LANES / 8], slots[SLOTS], ahead[LANES], ahead_eights[LANES / 8];
  local uint dealt;
  const uint l = (uint)get_local_id(0), tiles = (uint)((n + TILE - 1) / TILE);
  in += in_at;
  out += out_at;
  states += states_at;
  counters += counters_at;

  if (l == 0) dealt = atomic_inc(counters);
  barrier(CLK_LOCAL_MEM_FENCE);  // the ticket, before all read it
  uint tile = dealt;
  T x[ROWS][V], y[ROWS][V];  // of the current tile and of the next
  carrier_t total;
  if (tile < tiles) {
    load_tile(in, n, tile, x);
    feed_tile(n, tile, x, x);
    const carrier_t before = fold_rows(x, rows, lanes, eights, &total);
    if (l == 0) publish(states, tile, total, epoch);
    spread_rows(before, rows);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read the ticket, before the second one
  if (l == 0) dealt = tile < tiles ? atomic_inc(counters) : tiles;
  barrier(CLK_LOCAL_MEM_FENCE);  // the second ticket
  uint next = dealt;
  if (next < tiles) load_tile(in, n, next, y);

  carrier_t run = to_carrier(init);
  uint batches = 0, side = 0;  // side: the half of `rows` of the current tile
  while (tile < tiles) {
    local carrier_t* present = rows + side * (ROWS * LANES);
    local carrier_t* coming = rows + (1 - side) * (ROWS * LANES);
    uint drawn = tiles;
    if (l == 0 && next < tiles) drawn = atomic_inc(counters);
    if (next < tiles) {
      feed_tile(n, next, y, y);
      const carrier_t before = fold_rows(y, coming, lanes, eights, &total);
      if (l == 0) publish(states, next, total, epoch);
      spread_rows(before, coming);
    }
    // all read the last ticket before fold_rows' barriers; past the end it stays
    if (l == 0 && next < tiles) dealt = drawn;
    barrier(CLK_LOCAL_MEM_FENCE);  // every entry's prefix and the ticket, before all read them
    const carrier_t seed = look_ahead(states, tile, epoch, &run, &batches, slots, ahead, ahead_eights);
    store_tile(out, n, tile, x, seed, present);
    tile = next;
    next = dealt;
#pragma unroll
    for (uint r = 0; r < ROWS; ++r)
#pragma unroll
      for (uint v = 0; v < V; ++v) x[r][v] = y[r][v];
    if (next < tiles) load_tile(in, n, next, y);
    side = 1 - side;
    // all have read `rows`, `ahead_eights` and the ticket, before the next tile overwrites them
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) leave(counters);
}
#endif
#endif
