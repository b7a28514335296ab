// Selections in one pass on NVIDIA's devices, after opencl/warp.cl and select/opencl/select_opencl.cl: elements are
// read once and moved elements are written once. CLASSES of them move: 1 of select, flagged and unique, 2 and 3 of
// partitions, whose second class begins where the first ends, so that an earlier launch has counted them. Persistent
// groups draw tiles by ticket. A warp votes on 32 neighbours at a time. Each class of a tile is compacted in local
// memory before its destination is known, and the tile publishes its number of elements, in a word with the launch's
// epoch. A group orders and publishes its next tile before it looks up the counts of all tiles since its last one,
// which have been published for some time then.
//
// Forward progress: a tile waits for those before it, which were drawn by groups that have begun.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#define WARPS (LANES / WARP)
#define AHEAD 4  // tiles that an item looks up at once

// The numbers of elements of the first class and of the second.
typedef struct {
  ulong first, second;
} class_counts;

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

// The class of an element of a tile, in row k of its warp, or 3 past the end. `before`: the element before the
// warp's.
static inline uint class_in_tile(const WORD x[ROWS], const uchar f[ROWS], WORD before_warp, uint k, uint i, ulong tile, uint here, interval first,
                                 interval second) {
  uint c;
#if SORTS == 1
  c = f[k] == 0;
#elif SORTS == 2
  WORD before = of_item_before(k && (uint)get_local_id(0) % WARP == WARP - 1 ? x[k ? k - 1 : 0] : x[k]);
  if (k == 0 && (uint)get_local_id(0) % WARP == 0) before = before_warp;
  c = (tile + i != 0) & equal(x[k], before);
#elif SORTS == 3
  c = passes(first, image(x[k])) ? 0 : passes(second, image(x[k])) ? 1 : 2;
#elif SORTS == 4
  c = x[k];
#else
  c = !passes(first, image(x[k]));
#endif
  return i < here ? c : 3;
}

// Puts the tile in the order of its classes that move. Returns the number of the first class and, in the upper half,
// of the second.
static inline uint order_tile(const WORD x[ROWS], const uchar f[ROWS], WORD previous, ulong tile, ulong n, interval one, interval two,
                              local WORD* ordered, local ushort* sources, local uint* warp_counts) {
  const uint l = (uint)get_local_id(0), lane = l % WARP, warp = l / WARP, first = warp * WARP * ROWS + lane, below = lanes_below();
  const uint here = (uint)min(n - tile * TILE, (ulong)TILE);
  uint votes[ROWS], mine = 0;
#if CLASSES == 3
  uint second_votes[ROWS];
#endif
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) {
    const uint c = class_in_tile(x, f, previous, k, first + k * WARP, tile, here, one, two);
    votes[k] = warp_votes(c == 0);
    mine += popcount(votes[k]);
#if CLASSES == 3
    second_votes[k] = warp_votes(c == 1);
    mine += popcount(second_votes[k]) << 16;
#endif
  }
  if (lane == 0) warp_counts[warp] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);  // every warp's counts
  uint at = 0, total = 0;
#pragma unroll
  for (uint w = 0; w < WARPS; ++w) {
    const uint count = warp_counts[w];
    if (w < warp) at += count;
    total += count;
  }
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) {
    const uint i = first + k * WARP, firsts_before = (at & 0xffff) + popcount(votes[k] & below);
    uint to = firsts_before;
    bool moves = votes[k] >> lane & 1;
#if CLASSES == 2
    if (!moves) to = total + i - firsts_before;
    moves = i < here;
#elif CLASSES == 3
    const uint firsts = total & 0xffff, seconds_before = (at >> 16) + popcount(second_votes[k] & below);
    if (!moves) to = firsts + (second_votes[k] >> lane & 1 ? seconds_before : (total >> 16) + i - firsts_before - seconds_before);
    moves = i < here;
    at += popcount(second_votes[k]) << 16;
#endif
    if (moves) {
      ordered[to] = x[k];
#ifdef VALUE_WORD
      sources[to] = (ushort)i;
#endif
    }
    at += popcount(votes[k]);
  }
  return total;
}

// Adds the counts of the tiles [*since, tile) to *run, and sets *since to the next tile.
static inline void look_up(global const ulong* states, uint tile, uint epoch, uint* since, class_counts* run, local uint* warp_sums) {
  const uint l = (uint)get_local_id(0);
  for (uint base = *since; base < tile; base += AHEAD * LANES) {
    uint first, second;
    bool ready;
    do {
      ready = true;
      first = second = 0;
#pragma unroll
      for (uint k = 0; k < AHEAD; ++k) {
        const uint at = base + k * LANES + l;
        if (at < tile) {
          const ulong word = load_long_word(states + at);
          ready &= (uint)(word >> 32) == epoch;
          first += (uint)word & 0xffff;
          second += (uint)word >> 16;
        }
      }
    } while (!ready);
    warp_barrier();  // the warp is together again
    first = warp_sum(first);
    if (l % WARP == 0) warp_sums[l / WARP] = first;
#if CLASSES == 3
    second = warp_sum(second);
    if (l % WARP == 0) warp_sums[WARPS + l / WARP] = second;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);  // every warp's sums
    for (uint w = 0; w < WARPS; ++w) {
      run->first += warp_sums[w];
#if CLASSES == 3
      run->second += warp_sums[WARPS + w];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read them, before the next round's
  }
  *since = tile;
}

#if CLASSES > 1
// Counts each class before any element is moved. `all` begins as zeros, and select_in_one_pass resets it.
GROUP void count_all_classes(global const WORD* in, ulong in_at, global const uchar* flags, ulong flags_at, global ulong* all, ulong all_at, ulong n,
                             ulong each, ulong low, ulong high, uint others, ulong low2, ulong high2, uint others2) {
  local uint warp_sums[2 * WARPS];
  const interval one = {(WORD)low, (WORD)high, others}, two = {(WORD)low2, (WORD)high2, others2};
  const uint l = (uint)get_local_id(0);
  const ulong last = min((get_group_id(0) + 1) * each, n);
  in += in_at;
  flags += flags_at;
  uint first = 0, second = 0;  // of a group's at most 2^32
  ulong i = get_group_id(0) * each + l;
  for (; i + (ROWS - 1) * LANES < last; i += TILE) {
    WORD x[ROWS];
#pragma unroll
    for (uint r = 0; r < ROWS; ++r) x[r] = in[i + r * LANES];
#pragma unroll
    for (uint r = 0; r < ROWS; ++r) {
      const uint c = class_of(in, flags, i + r * LANES, x[r], (WORD)0, one, two);
      first += c == 0;
      second += c == 1;
    }
  }
  for (; i < last; i += LANES) {
    const uint c = class_of(in, flags, i, in[i], (WORD)0, one, two);
    first += c == 0;
    second += c == 1;
  }
  warp_barrier();  // the warp is together again
  first = warp_sum(first);
  second = warp_sum(second);
  if (l % WARP == 0) {
    warp_sums[l / WARP] = first;
    warp_sums[WARPS + l / WARP] = second;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // every warp's sums
  if (l < 2) {
    ulong sum = 0;
    for (uint w = 0; w < WARPS; ++w) sum += warp_sums[l * WARPS + w];
    atom_add(all + all_at + l, sum);
  }
}
#endif

// `counters` begin as zeros, and every launch resets them: [0] is the next ticket, [1] counts groups that have left.
GROUP void select_in_one_pass(global const WORD* in, ulong in_at, global const uchar* flags, ulong flags_at, global WORD* out, ulong out_at,
#ifdef VALUE_WORD
                              global const VALUE_WORD* values, ulong values_at, global VALUE_WORD* values_out, ulong values_out_at, uint indices,
#endif
                              global ulong* states, ulong states_at, global uint* counters, ulong counters_at, global ulong* all, ulong all_at,
                              global ulong* kept, ulong kept_at, ulong n, uint tiles, uint epoch, ulong low, ulong high, uint others, ulong low2,
                              ulong high2, uint others2) {
  local WORD ordered[2 * TILE];
  local uint warp_counts[WARPS], warp_sums[2 * WARPS], drawn;
#ifdef VALUE_WORD
  local ushort sources[2 * TILE];
  values += values_at;
  values_out += values_out_at;
#else
  local ushort* sources = 0;
#endif
  const interval one = {(WORD)low, (WORD)high, others}, two = {(WORD)low2, (WORD)high2, others2};
  const uint l = (uint)get_local_id(0);
  in += in_at;
  flags += flags_at;
  out += out_at;
  states += states_at;
  counters += counters_at;
  all += all_at;
  kept += kept_at;
#if CLASSES > 1
  const class_counts whole = {all[0], all[1]};
#endif

  WORD x[ROWS], previous = 0;
  uchar f[ROWS];
  if (tiles == 0 && l == 0)
    for (uint c = 0; c < max(CLASSES - 1, 1); ++c) kept[c] = 0;
  if (l == 0) drawn = atomic_inc(counters);
  barrier(CLK_LOCAL_MEM_FENCE);  // the first ticket
  uint tile = drawn, count = 0, side = 0, since = 0;
  class_counts run = {0, 0};
  if (tile < tiles) {
    load_tile(in, flags, tile, n, x, f, &previous);
    count = order_tile(x, f, previous, tile, n, one, two, ordered, sources, warp_counts);
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
      next_count = order_tile(x, f, previous, next, n, one, two, ordered + (1 - side) * TILE, sources + (1 - side) * TILE, warp_counts);
      if (l == 0) store_long_word(states + next, (ulong)epoch << 32 | next_count);
    }
    if (l == 0) drawn = after;
    barrier(CLK_LOCAL_MEM_FENCE);  // the ticket after the next, and the next tile in order
    after = drawn;
    if (after < tiles) load_tile(in, flags, after, n, x, f, &previous);
    look_up(states, tile, epoch, &since, &run, warp_sums);
    const uint from = side * TILE, firsts = count & 0xffff, seconds = count >> 16;
#if CLASSES == 1
    const uint leaving = firsts;
#define PLACE_OF(i) (run.first + (i))
#else
    const uint leaving = (uint)min((ulong)TILE, n - (ulong)tile * TILE);
    const ulong to_second = whole.first + (CLASSES == 2 ? (ulong)tile * TILE - run.first : run.second) - firsts,
                to_third = whole.first + whole.second + ((ulong)tile * TILE - run.first - run.second) - firsts - seconds;
#define PLACE_OF(i) (((i) < firsts ? run.first : CLASSES == 2 || (i) < firsts + seconds ? to_second : to_third) + (i))
#endif
#if defined(VALUE_WORD) && VALUE_WORDS == 1
    // All of an item's values are loaded at once.
    VALUE_WORD moved[ROWS];
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) {
      const uint i = k * LANES + l;
      if (i < leaving) {
        const ulong source = (ulong)tile * TILE + sources[from + i];
        moved[k] = indices ? (VALUE_WORD)source : values[source];
      }
    }
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) {
      const uint i = k * LANES + l;
      if (i < leaving) {
        const ulong to = PLACE_OF(i);
        out[to] = ordered[from + i];
        values_out[to] = moved[k];
      }
    }
#else
    for (uint i = l; i < leaving; i += LANES) {
      const ulong to = PLACE_OF(i);
      out[to] = ordered[from + i];
#ifdef VALUE_WORD
      move_value(values, values_out, (ulong)tile * TILE + sources[from + i], to, indices);
#endif
    }
#endif
    if (tile == tiles - 1 && l == 0) {
      kept[0] = run.first + firsts;
#if CLASSES == 3
      kept[1] = run.second + seconds;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the tile is written, and its side is free
    tile = next;
    next = after;
    count = next_count;
    side = 1 - side;
  }
  if (l == 0 && atomic_inc(counters + 1) == get_num_groups(0) - 1) {
    atomic_xchg(counters, 0u);
    atomic_xchg(counters + 1, 0u);
#if CLASSES > 1
    all[0] = all[1] = 0;  // every group has read them
#endif
  }
}
