// A stable merge sort by a user-defined comparator, in OpenCL C. The source before this file defines
//   K                the keys' type
//   compare_less     whether key a comes before key b; equal keys keep their order
// The host defines LANES and ROWS, and, if values follow the keys, V, uint or ulong.
//   sort_tiles       each work-group sorts its tile of LANES · ROWS keys
//   merge_runs       each work-group makes one tile of the merge of two neighbouring sorted runs of `width` keys
// Merge path finds where the runs' parts of an output begin (Odeh, Green, Mwassi, Shmueli, Birk 2012): of the first k
// of a merge, a(k) come from the first run, and a search along a diagonal finds a(k). The search ends within the runs
// even if the comparator is not an order.

#define TILE (LANES * ROWS)

// How many of the first k keys of the merge come from `a`, whose keys precede equal ones of `b`.
#define SPLIT                                                                                          \
  ulong low = (ulong)max((long)(k - b_size), 0l), high = min(k, a_size);                               \
  while (low < high) {                                                                                 \
    const ulong middle = (low + high) / 2;                                                             \
    if (compare_less(b[k - 1 - middle], a[middle])) high = middle; else low = middle + 1;             \
  }                                                                                                    \
  return low;
static inline ulong split(global const K* a, ulong a_size, global const K* b, ulong b_size, ulong k) { SPLIT }

// The two runs that contain the output's tile; the last may be short or missing.
typedef struct {
  ulong first, a_size, b_size;
} pair_of_runs;
static inline pair_of_runs runs_around(ulong place, ulong width, ulong n) {
  pair_of_runs p;
  p.first = place / (2 * width) * (2 * width);
  p.a_size = min(width, n - p.first);
  p.b_size = min(width, n - p.first - p.a_size);
  return p;
}

#if LANES == 1

// One item a group, for CPUs: no data is shared, and the caches hold a tile.

// The outputs [k, last) of the merge of two runs.
static inline void merge_part(global const K* a, ulong a_size, global const K* b, ulong b_size, ulong k, ulong last, global K* out
#ifdef V
                              , global const V* a_values, global const V* b_values, global V* values_out
#endif
                              ) {
  ulong i = split(a, a_size, b, b_size, k), j = k - i;
  for (; k < last; ++k) {
    if (j == b_size || (i < a_size && !compare_less(b[j], a[i]))) {
      out[k] = a[i];
#ifdef V
      values_out[k] = a_values[i];
#endif
      ++i;
    } else {
      out[k] = b[j];
#ifdef V
      values_out[k] = b_values[j];
#endif
      ++j;
    }
  }
}

#define SHORT_RUN 16  // by insertion, before merging pays

// `aside` has the size of `out`. The input may be either of them.
kernel void sort_tiles(global const K* in, ulong in_at, global K* out, ulong out_at, global K* aside, ulong aside_at,
#ifdef V
                       global const V* values, ulong values_at, global V* values_out, ulong values_out_at, global V* values_aside,
                              ulong values_aside_at, uint places,
#endif
                       ulong n) {
  const ulong start = (ulong)get_group_id(0) * TILE, here = min((ulong)TILE, n - start);
  in += in_at + start;
  global K* to = out + out_at + start;
  global K* other = aside + aside_at + start;
#ifdef V
  values += values_at + start; global V* values_to = values_out + values_out_at + start;
         global V* values_other = values_aside + values_aside_at + start;
#endif
  for (ulong run = 0; run < here; run += SHORT_RUN) {
    K x[SHORT_RUN];
#ifdef V
    V v[SHORT_RUN];
#endif
    const uint size = (uint)min((ulong)SHORT_RUN, here - run);
    for (uint i = 0; i < size; ++i) {
      const K next = in[run + i];
#ifdef V
      const V its_value = places ? (V)(start + run + i) : values[run + i];
#endif
      uint at = i;
      for (; at && compare_less(next, x[at - 1]); --at) {
        x[at] = x[at - 1];
#ifdef V
        v[at] = v[at - 1];
#endif
      }
      x[at] = next;
#ifdef V
      v[at] = its_value;
#endif
    }
    for (uint i = 0; i < size; ++i) {
      to[run + i] = x[i];
#ifdef V
      values_to[run + i] = v[i];
#endif
    }
  }
  // Merges in pairs, until the result is in `out` again: the number of widths is even.
  for (ulong width = SHORT_RUN; width < TILE; width *= 2) {
    for (ulong first = 0; first < here; first += 2 * width) {
      const ulong a_size = min(width, here - first), b_size = min(width, here - first - a_size);
      merge_part(to + first, a_size, to + first + a_size, b_size, 0, a_size + b_size, other + first
#ifdef V
                 , values_to + first, values_to + first + a_size, values_other + first
#endif
                 );
    }
    global K* swapped = to;
    to = other;
    other = swapped;
#ifdef V
    global V* values_swapped = values_to; values_to = values_other; values_other = values_swapped;
#endif
  }
}

kernel void merge_runs(global const K* in, ulong in_at, global K* out, ulong out_at,
#ifdef V
                       global const V* values, ulong values_at, global V* values_out, ulong values_out_at,
#endif
                       ulong n, ulong width) {
  const ulong start = (ulong)get_group_id(0) * TILE;
  const pair_of_runs p = runs_around(start, width, n);
  global const K* a = in + in_at + p.first;
#ifdef V
  global const V* a_values = values + values_at + p.first;
#endif
  merge_part(a, p.a_size, a + p.a_size, p.b_size, start - p.first, min(start + TILE, n) - p.first, out + out_at + p.first
#ifdef V
             , a_values, a_values + p.a_size, values_out + values_out_at + p.first
#endif
             );
}

kernel void merge_two(global const K* a, ulong a_at, ulong a_size, global const K* b, ulong b_at, ulong b_size, global K* out, ulong out_at) {
  const ulong start = (ulong)get_group_id(0) * TILE;
  a += a_at;
  b += b_at;
  out += out_at;
  ulong i = split(a, a_size, b, b_size, start), j = start - i;
  for (ulong k = start; k < min(start + TILE, a_size + b_size); ++k)
    if (j == b_size || (i < a_size && !compare_less(b[j], a[i]))) out[k] = a[i++]; else out[k] = b[j++];
}

#else

#define GROUP kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
static inline ulong split_here(local const K* a, ulong a_size, local const K* b, ulong b_size, ulong k) { SPLIT }

// This item's ROWS outputs of the merge of two runs in local memory, from its k-th on, and their positions in the
// tile: `a` begins a_first and `b` b_first keys from the tile's beginning.
static inline void merge_rows(local const K* a, uint a_size, local const K* b, uint b_size, uint k, K x[ROWS], ushort from[ROWS], uint a_first,
                              uint b_first) {
  uint i = (uint)split_here(a, a_size, b, b_size, min(k, a_size + b_size)), j = min(k, a_size + b_size) - i;
#pragma unroll
  for (uint r = 0; r < ROWS; ++r) {
    if (i == a_size && j == b_size) break;
    if (j == b_size || (i < a_size && !compare_less(b[j], a[i]))) {
      x[r] = a[i];
      from[r] = (ushort)(a_first + i);
      ++i;
    } else {
      x[r] = b[j];
      from[r] = (ushort)(b_first + j);
      ++j;
    }
  }
}

// Keys pass through local memory together with their original positions in the tile, by which the values are fetched
// at the end. Kernels for CPUs need `aside`.
GROUP void sort_tiles(global const K* in, ulong in_at, global K* out, ulong out_at, global K* aside, ulong aside_at,
#ifdef V
                      global const V* values, ulong values_at, global V* values_out, ulong values_out_at, global V* values_aside,
                             ulong values_aside_at, uint places,
#endif
                      ulong n) {
  local K tile[TILE];
  local ushort sources[TILE];
  const uint l = (uint)get_local_id(0), mine = l * ROWS;
  const ulong start = (ulong)get_group_id(0) * TILE;
  const uint here = (uint)min((ulong)TILE, n - start), my_size = mine < here ? min((uint)ROWS, here - mine) : 0;
  in += in_at + start;
  for (uint i = l; i < here; i += LANES) tile[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);  // the tile, before each item reads neighbours
  K x[ROWS];
  ushort from[ROWS];
  for (uint r = 0; r < my_size; ++r) {
    const K next = tile[mine + r];
    uint at = r;
    for (; at && compare_less(next, x[at - 1]); --at) {
      x[at] = x[at - 1];
      from[at] = from[at - 1];
    }
    x[at] = next;
    from[at] = (ushort)(mine + r);
  }
  for (uint width = ROWS; width < TILE; width *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read the tile, before it changes
    for (uint r = 0; r < my_size; ++r) {
      tile[mine + r] = x[r];
      sources[mine + r] = from[r];
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // all runs, before they are merged
    const uint first = mine / (2 * width) * (2 * width);
    if (my_size) {
      const uint a_size = min(width, here - first), b_size = min(width, here - first - a_size);
      merge_rows(tile + first, a_size, tile + first + a_size, b_size, mine - first, x, from, first, first + a_size);
      for (uint r = 0; r < my_size; ++r) from[r] = sources[from[r]];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all have merged, before the tile changes
  for (uint r = 0; r < my_size; ++r) {
    tile[mine + r] = x[r];
    sources[mine + r] = from[r];
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the tile in order, before it is written side by side
  out += out_at + start;
  for (uint i = l; i < here; i += LANES) out[i] = tile[i];
#ifdef V
    // Values may be in place: all of the tile's are read, before any is written.
  V v[ROWS];
  values += values_at + start;
  values_out += values_out_at + start;
  for (uint r = 0; r < ROWS; ++r) {
    const uint i = r * LANES + l;
    if (i < here) v[r] = places ? (V)(start + sources[i]) : values[sources[i]];
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (uint r = 0; r < ROWS; ++r) {
    const uint i = r * LANES + l;
    if (i < here) values_out[i] = v[r];
  }
#endif
}

// One tile of the merge of two runs in global memory; `a_values` and `b_values` go with them.
static inline void merge_tile(global const K* a, ulong a_size, global const K* b, ulong b_size, ulong k, global K* out, local K* tile,
                              local ushort* sources, local ulong* splits
#ifdef V
                              , global const V* a_values, global const V* b_values, global V* values_out
#endif
                              ) {
  const uint l = (uint)get_local_id(0), mine = l * ROWS;
  const uint here = (uint)min((ulong)TILE, a_size + b_size - k), my_size = mine < here ? min((uint)ROWS, here - mine) : 0;
  if (l < 2) splits[l] = split(a, a_size, b, b_size, k + (l ? here : 0));
  barrier(CLK_LOCAL_MEM_FENCE);  // where the tile's parts of the runs begin and end
  const ulong a_first = splits[0], b_first = k - a_first;
  const uint a_here = (uint)(clamp(splits[1], a_first, a_first + here) - a_first);  // whatever the comparator says
  const uint b_here = here - a_here;
  for (uint i = l; i < here; i += LANES) tile[i] = i < a_here ? a[a_first + i] : b[b_first + (i - a_here)];
  barrier(CLK_LOCAL_MEM_FENCE);  // both parts, before they are merged
  K x[ROWS];
  ushort from[ROWS];
  if (my_size) merge_rows(tile, a_here, tile + a_here, b_here, mine, x, from, 0, a_here);
  barrier(CLK_LOCAL_MEM_FENCE);  // all have merged, before the tile changes
  for (uint r = 0; r < my_size; ++r) {
    tile[mine + r] = x[r];
    sources[mine + r] = from[r];
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the tile in order, before it is written side by side
  for (uint i = l; i < here; i += LANES) {
    out[k + i] = tile[i];
#ifdef V
    const uint s = sources[i]; values_out[k + i] = s < a_here ? a_values[a_first + s] : b_values[b_first + (s - a_here)];
#endif
  }
}

GROUP void merge_runs(global const K* in, ulong in_at, global K* out, ulong out_at,
#ifdef V
                      global const V* values, ulong values_at, global V* values_out, ulong values_out_at,
#endif
                      ulong n, ulong width) {
  local K tile[TILE];
  local ushort sources[TILE];
  local ulong splits[2];
  const ulong start = (ulong)get_group_id(0) * TILE;
  const pair_of_runs p = runs_around(start, width, n);
  global const K* a = in + in_at + p.first;
#ifdef V
  global const V* a_values = values + values_at + p.first;
#endif
  merge_tile(a, p.a_size, a + p.a_size, p.b_size, start - p.first, out + out_at + p.first, tile, sources, splits
#ifdef V
             , a_values, a_values + p.a_size, values_out + values_out_at + p.first
#endif
             );
}

#ifndef V
GROUP void merge_two(global const K* a, ulong a_at, ulong a_size, global const K* b, ulong b_at, ulong b_size, global K* out, ulong out_at) {
  local K tile[TILE];
  local ushort sources[TILE];
  local ulong splits[2];
  merge_tile(a + a_at, a_size, b + b_at, b_size, (ulong)get_group_id(0) * TILE, out + out_at, tile, sources, splits);
}
#endif

#endif

// found[g] = the least i of group g with key i before key i - distance, or n. Distance 0 compares each key with
// itself.
#define ASKING 64
kernel __attribute__((reqd_work_group_size(ASKING, 1, 1)))
void find_break(global const K* in, ulong in_at, ulong n, ulong distance, global ulong* found, ulong found_at) {
  local ulong firsts[ASKING];
  const uint l = (uint)get_local_id(0);
  ulong least = n;
  in += in_at;
  for (ulong i = get_global_id(0) + distance; i < least; i += get_global_size(0))
    if (compare_less(in[i], in[i - distance])) least = i;
  firsts[l] = least;
  barrier(CLK_LOCAL_MEM_FENCE);  // every item's, before one looks through them
  if (l) return;
  for (uint k = 1; k < ASKING; ++k) least = min(least, firsts[k]);
  found[found_at + get_group_id(0)] = least;
}
