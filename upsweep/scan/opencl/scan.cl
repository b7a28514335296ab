// The library's scan in OpenCL C, in two algorithms. Each comes in two forms: for GPUs work-groups of LANES items work
// on tiles (opencl/tile.cl); for CPUs, LANES == 1, a work-group is one item with a long contiguous chunk.
//
// reduce-then-scan: fold_chunks, scan_partials, scan_chunks, a launch each. No group waits for another, so it runs
// anywhere.
// Work 2n, moves 3n elements.
//
// decoupled-lookback: one launch, moves 2n elements. Tiles are dealt by ticket, so a tile's predecessors are always
// held by groups that have begun. A group publishes its tile's fold, tagged with the launch's epoch (what an earlier
// launch left there never matches, so nothing is cleared), then folds what the tiles since its own last one have
// published.

// A value and its tag in 64-bit words, each written and read whole: no fence is needed, because nothing else is handed
// over.
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

static inline void publish(global ulong* states, uint at, T x, uint epoch) {
  const ulong tag = (ulong)epoch << 32;
#if WORDS == 1
  const union { T value; uint word; } bits = {x};
  PUT_WORD(states + at, tag | bits.word);
#else
  const union { T value; uint word[2]; } bits = {x};
  PUT_WORD(states + 2 * (ulong)at, tag | bits.word[0]);
  PUT_WORD(states + 2 * (ulong)at + 1, tag | bits.word[1]);
#endif
}

// Whether the value is there yet.
static inline bool seen(global ulong* states, uint at, uint epoch, T* x) {
#if WORDS == 1
  const ulong w = GET_WORD(states + at);
  const union { uint word; T value; } bits = {(uint)w};
  *x = bits.value;
  return (uint)(w >> 32) == epoch;
#else
  const ulong low = GET_WORD(states + 2 * (ulong)at), high = GET_WORD(states + 2 * (ulong)at + 1);
  const union { uint word[2]; T value; } bits = {{(uint)low, (uint)high}};
  *x = bits.value;
  return (uint)(low >> 32) == epoch && (uint)(high >> 32) == epoch;
#endif
}

// The last group to leave makes the counters ready for the next launch: [0] deals tickets, [1] counts who left.
static inline void leave(global uint* counters) {
  if (atomic_inc(counters + 1) == get_num_groups(0) - 1) {
    atomic_xchg(counters, 0u);
    atomic_xchg(counters + 1, 0u);
  }
}
#endif

#if LANES == 1

// A chunk is STREAMS parts, one after another; the parts are worked on side by side, so that their dependent chains
// overlap.
#define PART (CHUNK / STREAMS)

static inline ulong part_start(ulong chunk, uint part, ulong n) { return min(chunk * CHUNK + part * (ulong)PART, n); }

static inline void fold_parts(global const T* in, ulong n, ulong chunk, T sums[STREAMS]) {
#if COMMUTES
  for (uint s = 0; s < STREAMS; ++s) {
    const ulong first = part_start(chunk, s, n), last = part_start(chunk, s + 1, n);
    T acc[16];
    for (uint k = 0; k < 16; ++k) acc[k] = IDENTITY;
    ulong i = first;
    for (; i + 16 <= last; i += 16)
      for (uint k = 0; k < 16; ++k) acc[k] = OP(acc[k], X(in[i + k]));  // 16 chains: one SIMD register or two
    for (; i < last; ++i) acc[0] = OP(acc[0], X(in[i]));
    for (uint width = 8; width; width /= 2)
      for (uint k = 0; k < width; ++k) acc[k] = OP(acc[k], acc[k + width]);
    sums[s] = acc[0];
  }
#else
  for (uint s = 0; s < STREAMS; ++s) sums[s] = IDENTITY;
  if ((chunk + 1) * CHUNK <= n) {
    in += chunk * CHUNK;
    for (uint i = 0; i < PART; ++i)
      for (uint s = 0; s < STREAMS; ++s) sums[s] = OP(sums[s], X(in[s * PART + i]));
  } else {
    for (uint s = 0; s < STREAMS; ++s)
      for (ulong i = part_start(chunk, s, n); i < part_start(chunk, s + 1, n); ++i) sums[s] = OP(sums[s], X(in[i]));
  }
#endif
}

#if INCLUSIVE
#define STEP(run, i) { run = OP(run, X(in[i])); out[i] = run; }
#else
#define STEP(run, i) { const T x = X(in[i]); out[i] = run; run = OP(run, x); }
#endif

static inline void scan_parts(global const T* in, global T* out, ulong n, ulong chunk, T run[STREAMS]) {
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

kernel void fold_chunks(global const T* in, ulong in_at, global T* partials, ulong partials_at, ulong n, uint tiles_each) {
  T sums[STREAMS];
  const ulong chunk = get_group_id(0);
  fold_parts(in + in_at, n, chunk, sums);
  for (uint s = 0; s < STREAMS; ++s) partials[partials_at + chunk * STREAMS + s] = sums[s];
}

kernel void scan_partials(global T* partials, ulong partials_at, uint count, const T init) {
  partials += partials_at;
  T run = init;
  for (uint i = 0; i < count; ++i) {
    const T x = partials[i];
    partials[i] = run;
    run = OP(run, x);
  }
}

kernel void scan_chunks(global const T* in, ulong in_at, global T* out, ulong out_at, global const T* partials, ulong partials_at, ulong n,
                        uint tiles_each) {
  T run[STREAMS];
  const ulong chunk = get_group_id(0);
  for (uint s = 0; s < STREAMS; ++s) run[s] = partials[partials_at + chunk * STREAMS + s];
  scan_parts(in + in_at, out + out_at, n, chunk, run);
}

#if WORDS
static inline T after_parts(T run, const T sums[STREAMS]) {
  for (uint s = 0; s < STREAMS; ++s) run = OP(run, sums[s]);
  return run;
}

// The fold of init and all chunks before this one. A chunk publishes the fold of all up to its end, so looking back
// goes one step; but a predecessor whose thread is not running would be waited for a whole slice of the system's time.
// So after a while its chunk is folded again here, in the same order and so to the same bits, and nobody depends on
// another's progress.
static inline T before_chunk(global const T* in, ulong n, global ulong* states, uint chunk, uint epoch, T init) {
  T known;
  if (chunk == 0) return init;
  for (uint polls = 0; polls < 2000; ++polls)
    if (seen(states, chunk - 1, epoch, &known)) return known;
  uint at = chunk - 1;
  while (at && !seen(states, at - 1, epoch, &known)) --at;
  T run = at ? known : init;
  for (; at < chunk; ++at) {
    T sums[STREAMS];
    fold_parts(in, n, at, sums);
    run = after_parts(run, sums);
    // In place, its owner may have overwritten what was just read; but then it has published before.
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (seen(states, at, epoch, &known)) run = known;
  }
  return run;
}

// One group a chunk. The chunk is still in the cache when it is read again.
kernel void look_back(global const T* in, ulong in_at, global T* out, ulong out_at, global ulong* states, ulong states_at,
                      global uint* counters, ulong counters_at, ulong n, uint epoch, const T init) {
  states += states_at;
  in += in_at;
  const uint chunk = atomic_inc(counters + counters_at);
  T sums[STREAMS];
  fold_parts(in, n, chunk, sums);
  T run = before_chunk(in, n, states, chunk, epoch, init);
  publish(states, chunk, after_parts(run, sums), epoch);
  mem_fence(CLK_GLOBAL_MEM_FENCE);  // published before the chunk may be overwritten
  for (uint s = 0; s < STREAMS; ++s) {
    const T sum = sums[s];
    sums[s] = run;
    run = OP(run, sum);
  }
  scan_parts(in, out + out_at, n, chunk, sums);
  leave(counters + counters_at);
}
#endif

#else

#define GROUP kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))

// Group g has the tiles from g·tiles_each on.
GROUP void fold_chunks(global const T* in, ulong in_at, global T* partials, ulong partials_at, ulong n, uint tiles_each) {
  local T rows[ROWS * LANES], lanes[LANES], eights[LANES / 8];
  const ulong tiles = (n + TILE - 1) / TILE, first = get_group_id(0) * (ulong)tiles_each, last = min(first + tiles_each, tiles);
  in += in_at;
  T run = IDENTITY;
  for (ulong tile = first; tile < last; ++tile) {
    T raw[ROWS][V], x[ROWS][V], total;
    load_tile(in, n, tile, raw);
    feed_tile(n, tile, raw, x);
    fold_rows(x, rows, lanes, eights, &total);
    run = OP(run, total);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before the next tile overwrites it
  }
  if (get_local_id(0) == 0) partials[partials_at + get_group_id(0)] = run;
}

// One group.
GROUP void scan_partials(global T* partials, ulong partials_at, uint count, const T init) {
  local T lanes[LANES], eights[LANES / 8];
  const uint l = (uint)get_local_id(0);
  partials += partials_at;
  T run = init;
  for (uint base = 0; base < count; base += LANES) {
    T total;
    const T before = group_scan(base + l < count ? partials[base + l] : IDENTITY, lanes, eights, &total);
    if (base + l < count) partials[base + l] = l ? OP(run, before) : run;
    run = OP(run, total);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before the next round overwrites it
  }
}

GROUP void scan_chunks(global const T* in, ulong in_at, global T* out, ulong out_at, global const T* partials, ulong partials_at, ulong n,
                       uint tiles_each) {
  local T rows[ROWS * LANES], lanes[LANES], eights[LANES / 8];
  const ulong tiles = (n + TILE - 1) / TILE, first = get_group_id(0) * (ulong)tiles_each, last = min(first + tiles_each, tiles);
  in += in_at;
  out += out_at;
  T run = partials[partials_at + get_group_id(0)];
  for (ulong tile = first; tile < last; ++tile) {
    T raw[ROWS][V], x[ROWS][V], total;
    load_tile(in, n, tile, raw);
    feed_tile(n, tile, raw, x);
    spread_rows(fold_rows(x, rows, lanes, eights, &total), rows);
    barrier(CLK_LOCAL_MEM_FENCE);  // every entry's prefix, before the items read them row by row
    store_tile(out, n, tile, x, run, rows);
    run = OP(run, total);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read `rows`, before the next tile overwrites it
  }
}

#if WORDS
// Tiles are folded in eights, and eight of those are a batch. Batches lie at multiples of BATCH, whoever folds them, so
// that the grouping, and with it every bit of a float scan, depends on the tile number alone and never on who was
// faster.
#define BATCH 64
#define AHEAD (8 * LANES)            // tiles that a group looks up at once
#define SLOT(i) ((i) + (i) / 8)      // a gap after every eight: items that fold eight each read from different banks
#define SLOTS (SLOT(AHEAD - 1) + 1)

// The fold of init and all tiles before `tile`. `run` is the fold of init and the first `*batches` batches, and moves
// on. Between two calls there must be a barrier.
static inline T look_ahead(global ulong* states, uint tile, uint epoch, T* run, uint* batches, local T* slots, local T* lanes,
                           local T* eights) {
  const uint l = (uint)get_local_id(0), target = tile / BATCH;
  T prefix = *run;
  for (uint base = *batches * BATCH; base < tile; base += AHEAD) {
    // Neighbouring items look up neighbouring tiles, and wait for those that have not been published.
    T x[8];
    bool ready;
    do {
      ready = true;
#pragma unroll
      for (uint k = 0; k < 8; ++k) {
        const uint at = base + k * LANES + l;
        x[k] = IDENTITY;
        if (at < tile) ready &= seen(states, at, epoch, &x[k]);
      }
    } while (!ready);
#pragma unroll
    for (uint k = 0; k < 8; ++k) slots[SLOT(k * LANES + l)] = x[k];
    barrier(CLK_LOCAL_MEM_FENCE);  // all tiles' folds, before each item folds eight neighbours
    T sum = slots[9 * l];
#pragma unroll
    for (uint k = 1; k < 8; ++k) sum = OP(sum, slots[9 * l + k]);
    lanes[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);  // the eights, before one item folds a batch of them
    if (l < LANES / 8) {
      sum = lanes[8 * l];
#pragma unroll
      for (uint k = 1; k < 8; ++k) sum = OP(sum, lanes[8 * l + k]);
      eights[l] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the batches, before all items fold them
    for (uint k = 0; k < LANES / 8 && *batches < target; ++k, ++*batches) *run = OP(*run, eights[k]);
    prefix = *run;
    // Tiles past the last whole batch: they are counted again when that batch is whole.
    const uint rest = target - base / BATCH;
    if (tile % BATCH && rest < LANES / 8) prefix = OP(prefix, eights[rest]);
  }
  return prefix;
}

// Persistent groups. A group folds and publishes its next tile before it looks ahead for the present one: what a prefix
// consists of has been published for a while when it is asked for, and no group waits for the slowest. The ticket after
// the next is drawn meanwhile.
GROUP void look_back(global const T* in, ulong in_at, global T* out, ulong out_at, global ulong* states, ulong states_at,
                     global uint* counters, ulong counters_at, ulong n, uint epoch, const T init) {
  local T rows[2 * ROWS * LANES], lanes[LANES], eights[LANES / 8], slots[SLOTS], ahead[LANES], ahead_eights[LANES / 8];
  local uint dealt;
  const uint l = (uint)get_local_id(0), tiles = (uint)((n + TILE - 1) / TILE);
  in += in_at;
  out += out_at;
  states += states_at;
  counters += counters_at;

  if (l == 0) dealt = atomic_inc(counters);
  barrier(CLK_LOCAL_MEM_FENCE);  // the ticket, before all read it
  uint tile = dealt;
  T x[ROWS][V], y[ROWS][V], total;  // of the present tile and of the next
  if (tile < tiles) {
    load_tile(in, n, tile, x);
    feed_tile(n, tile, x, x);
    const T before = fold_rows(x, rows, lanes, eights, &total);
    if (l == 0) publish(states, tile, total, epoch);
    spread_rows(before, rows);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read the ticket, before the second one
  if (l == 0) dealt = tile < tiles ? atomic_inc(counters) : tiles;
  barrier(CLK_LOCAL_MEM_FENCE);  // the second ticket
  uint next = dealt;
  if (next < tiles) load_tile(in, n, next, y);

  T run = init;
  uint batches = 0, side = 0;  // of `rows`: the present tile's
  while (tile < tiles) {
    local T* present = rows + side * (ROWS * LANES);
    local T* coming = rows + (1 - side) * (ROWS * LANES);
    uint drawn = tiles;
    if (l == 0 && next < tiles) drawn = atomic_inc(counters);
    if (next < tiles) {
      feed_tile(n, next, y, y);
      const T before = fold_rows(y, coming, lanes, eights, &total);
      if (l == 0) publish(states, next, total, epoch);
      spread_rows(before, coming);
    }
    // all read the last ticket before fold_rows' barriers; past the end it stays
    if (l == 0 && next < tiles) dealt = drawn;
    barrier(CLK_LOCAL_MEM_FENCE);  // every entry's prefix and the ticket, before all read them
    const T seed = look_ahead(states, tile, epoch, &run, &batches, slots, ahead, ahead_eights);
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
