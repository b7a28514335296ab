// Select, flagged and unique in one pass on NVIDIA's devices, after opencl/warp.cl and select/opencl/select.cl: what is
// kept is read and written once. Persistent groups draw tiles by ticket. A warp votes on 32 neighbours at a time; what
// a tile keeps is put side by side in local memory before anyone knows where it belongs, and the tile publishes how
// many that are, in a word with the launch's epoch. A group orders and publishes its next tile before it looks up what
// all tiles since its last one have kept: they have published for a while then.
//
// Forward progress: a tile waits for those before it, which were drawn by groups that have begun.

#define WARPS (LANES / WARP)
#define AHEAD 4  // tiles that an item looks up at once

#if SORTS == 2
static inline WORD of_item_before(WORD x) {
  const uint from = ((uint)get_local_id(0) - 1) % WARP;
#if WORD_BITS == 64
  return (ulong)shuffled((uint)(x >> 32), from) << 32 | shuffled((uint)x, from);
#else
  return (WORD)shuffled(x, from);
#endif
}
#endif

// A warp's elements are consecutive; row k of its items comes before row k + 1.
static inline void load_tile(global const WORD* in, global const uchar* flags, ulong tile, ulong n, WORD x[ROWS], uchar f[ROWS], WORD* previous) {
  const uint l = (uint)get_local_id(0), first = l / WARP * WARP * ROWS + l % WARP;
  const ulong start = tile * TILE;
  if (start + TILE <= n) {
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) {
      x[k] = in[start + first + k * WARP];
#if SORTS == 1
      f[k] = flags[start + first + k * WARP];
#endif
    }
  } else {
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) {
      const bool there = start + first + k * WARP < n;
      x[k] = there ? in[start + first + k * WARP] : (WORD)0;
#if SORTS == 1
      f[k] = there ? flags[start + first + k * WARP] : 0;
#endif
    }
  }
#if SORTS == 2
  if (l % WARP == 0 && start + first && start + first < n) *previous = in[start + first - 1];
#endif
}

// Puts what the tile keeps side by side; returns how many that are.
static inline uint order_tile(const WORD x[ROWS], const uchar f[ROWS], WORD previous, ulong tile, ulong n, interval test, local WORD* ordered,
                              local ushort* sources, local uint* warp_counts) {
  const uint l = (uint)get_local_id(0), lane = l % WARP, warp = l / WARP, first = warp * WARP * ROWS + lane, below = lanes_below();
  const uint here = (uint)min(n - tile * TILE, (ulong)TILE);
  uint votes[ROWS], mine = 0;
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) {
    const uint i = first + k * WARP;
#if SORTS == 1
    const bool kept = f[k] != 0;
#elif SORTS == 2
    WORD before = of_item_before(k && lane == WARP - 1 ? x[k ? k - 1 : 0] : x[k]);
    if (k == 0 && lane == 0) before = previous;
    const bool kept = (tile == 0 && i == 0) || !equal(x[k], before);
#elif SORTS == 4
    const bool kept = x[k] == 0;
#else
    const bool kept = passes(test, image(x[k]));
#endif
    votes[k] = warp_votes(kept && i < here);
    mine += popcount(votes[k]);
  }
  if (lane == 0) warp_counts[warp] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);  // every warp's count
  uint at = 0, total = 0;
#pragma unroll
  for (uint w = 0; w < WARPS; ++w) {
    const uint count = warp_counts[w];
    if (w < warp) at += count;
    total += count;
  }
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) {
    if (votes[k] >> lane & 1) {
      const uint to = at + popcount(votes[k] & below);
      ordered[to] = x[k];
#ifdef VALUE_WORD
      sources[to] = (ushort)(first + k * WARP);
#endif
    }
    at += popcount(votes[k]);
  }
  return total;
}

// How many the tiles [*since, tile) have kept is added to *run, and *since moves on.
static inline void look_up(global const ulong* states, uint tile, uint epoch, uint* since, ulong* run, local uint* warp_sums) {
  const uint l = (uint)get_local_id(0);
  for (uint base = *since; base < tile; base += AHEAD * LANES) {
    uint sum;
    bool ready;
    do {
      ready = true;
      sum = 0;
#pragma unroll
      for (uint k = 0; k < AHEAD; ++k) {
        const uint at = base + k * LANES + l;
        if (at < tile) {
          const ulong word = load_long_word(states + at);
          ready &= (uint)(word >> 32) == epoch;
          sum += (uint)word;
        }
      }
    } while (!ready);
    warp_barrier();  // the warp is together again
    sum = warp_sum(sum);
    if (l % WARP == 0) warp_sums[l / WARP] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);  // every warp's sum
    for (uint w = 0; w < WARPS; ++w) *run += warp_sums[w];
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read them, before the next round's
  }
  *since = tile;
}

// `counters` begin as zeros, and every launch leaves them so: [0] deals tickets, [1] counts who left.
GROUP void select_in_one_pass(global const WORD* in, ulong in_at, global const uchar* flags, ulong flags_at, global WORD* out, ulong out_at,
#ifdef VALUE_WORD
                              global const VALUE_WORD* values, ulong values_at, global VALUE_WORD* values_out, ulong values_out_at, uint indices,
#endif
                              global ulong* states, ulong states_at, global uint* counters, ulong counters_at, global ulong* kept, ulong kept_at,
                              ulong n, uint tiles, uint epoch, ulong low, ulong high, uint others) {
  local WORD ordered[2 * TILE];
  local uint warp_counts[WARPS], warp_sums[WARPS], drawn;
#ifdef VALUE_WORD
  local ushort sources[2 * TILE];
  values += values_at;
  values_out += values_out_at;
#else
  local ushort* sources = 0;
#endif
  const interval test = {(WORD)low, (WORD)high, others};
  const uint l = (uint)get_local_id(0);
  in += in_at;
  flags += flags_at;
  out += out_at;
  states += states_at;
  counters += counters_at;

  WORD x[ROWS], previous = 0;
  uchar f[ROWS];
  if (tiles == 0 && l == 0) kept[kept_at] = 0;
  if (l == 0) drawn = atomic_inc(counters);
  barrier(CLK_LOCAL_MEM_FENCE);  // the first ticket
  uint tile = drawn, count = 0, side = 0, since = 0;
  ulong run = 0;
  if (tile < tiles) {
    load_tile(in, flags, tile, n, x, f, &previous);
    count = order_tile(x, f, previous, tile, n, test, ordered, sources, warp_counts);
    if (l == 0) store_long_word(states + tile, (ulong)epoch << 32 | count);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read the ticket
  if (l == 0) drawn = tile < tiles ? atomic_inc(counters) : tiles;
  barrier(CLK_LOCAL_MEM_FENCE);  // the second ticket
  uint next = drawn;
  if (next < tiles) load_tile(in, flags, next, n, x, f, &previous);

  while (tile < tiles) {
    uint after = tiles, next_count = 0;
    if (l == 0 && next < tiles) after = atomic_inc(counters);
    if (next < tiles) {
      next_count = order_tile(x, f, previous, next, n, test, ordered + (1 - side) * TILE, sources + (1 - side) * TILE, warp_counts);
      if (l == 0) store_long_word(states + next, (ulong)epoch << 32 | next_count);
    }
    if (l == 0) drawn = after;
    barrier(CLK_LOCAL_MEM_FENCE);  // the ticket after the next, and the next tile in order
    after = drawn;
    if (after < tiles) load_tile(in, flags, after, n, x, f, &previous);
    look_up(states, tile, epoch, &since, &run, warp_sums);
    const uint from = side * TILE;
#if defined(VALUE_WORD) && VALUE_WORDS == 1
    // All of an item's values are on their way at once.
    VALUE_WORD moved[ROWS];
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) {
      const uint i = k * LANES + l;
      if (i < count) {
        const ulong source = (ulong)tile * TILE + sources[from + i];
        moved[k] = indices ? (VALUE_WORD)source : values[source];
      }
    }
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) {
      const uint i = k * LANES + l;
      if (i < count) {
        out[run + i] = ordered[from + i];
        values_out[run + i] = moved[k];
      }
    }
#else
    for (uint i = l; i < count; i += LANES) {
      out[run + i] = ordered[from + i];
#ifdef VALUE_WORD
      move_value(values, values_out, (ulong)tile * TILE + sources[from + i], run + i, indices);
#endif
    }
#endif
    if (tile == tiles - 1 && l == 0) kept[kept_at] = run + count;
    barrier(CLK_LOCAL_MEM_FENCE);  // the tile is written, and its side is free
    tile = next;
    next = after;
    count = next_count;
    side = 1 - side;
  }
  if (l == 0 && atomic_inc(counters + 1) == get_num_groups(0) - 1) {
    atomic_xchg(counters, 0u);
    atomic_xchg(counters + 1, 0u);
  }
}
