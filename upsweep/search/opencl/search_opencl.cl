// Searches in OpenCL C, after opencl/work_group_sums.cl. Work-groups have contiguous runs of tiles of LANES elements; one
// group combines their results. SEEK: 0 passing, 1 adjacent, 2 one of, 3 beginning, 4 unequal, 5 apart. SIDE: 0
// lower, 1 upper, 2 found.
//
// Elements of built-in types come after opencl/elements_as_words.cl and are compared as words. With USER_SOURCE the
// condition is device source: ELEMENT and OTHER are the inputs' types, and USER_SOURCE is 1 for a test, 2 for a
// relation of two, and 3 for one whose operands are exchanged. SEEK, BEST and SIDE select the kernels to compile.

#if !defined(USER_SOURCE)
typedef WORD ELEMENT;
typedef WORD OTHER;

// A test of elements, as the images that pass: [low, high], or all others. A NaN's image is above every number's.
static inline bool passes(WORD bits, ulong low, ulong high, uint others) {
  const WORD x = image(bits);
  return (low <= x && x <= high) != (others != 0);
}
#elif USER_SOURCE == 1
static inline bool passes(ELEMENT x, ulong low, ulong high, uint others) { return asked(x) != (others != 0); }
#elif USER_SOURCE == 2
#define equal(a, b) asked(a, b)
#define compare_less(a, b) asked(a, b)
#else
#define compare_less(a, b) asked(b, a)
#endif

#if defined(SEEK)

// Whether index i satisfies the condition.
static inline bool holds(global const ELEMENT* x, global const OTHER* y, ulong m, ulong i, ulong low, ulong high,
                         uint others) {
#if SEEK == 0
  return passes(x[i], low, high, others);
#elif SEEK == 1
  return equal(x[i], x[i + 1]);
#elif SEEK == 2
  for (ulong k = 0; k < m; ++k)
    if (equal(x[i], y[k])) return true;
  return false;
#elif SEEK == 3
  for (ulong k = 0; k < m; ++k)
    if (!equal(x[i + k], y[k])) return false;
  return true;
#elif SEEK == 4
  return !equal(x[i], y[i]);
#elif defined(USER_SOURCE)
  return compare_less(x[i], y[i]) || compare_less(y[i], x[i]);
#elif ORDER == 2
  const WORD a = image(x[i]), b = image(y[i]);
  return a != b && a != ALL_BITS && b != ALL_BITS;
#else
  return x[i] != y[i];
#endif
}

#if SEEK == 0

GROUP void count_passing(global const ELEMENT* in, ulong in_at, global ulong* counts, ulong counts_at, ulong n,
                         uint tiles_each, ulong low, ulong high, uint others) {
  in += in_at, counts += counts_at;
  local ulong lanes[SUM_ENTRIES];
  const ulong run = (ulong)tiles_each * LANES, first = get_group_id(0) * run, last = min(n, first + run);
  ulong mine = 0, all;
  for (ulong i = first + get_local_id(0); i < last; i += LANES) mine += passes(in[i], low, high, others) ? 1 : 0;
  long_sum_before(mine, lanes, &all);
  if (get_local_id(0) == 0) counts[get_group_id(0)] = all;
}

GROUP void add_counts(global const ulong* counts, ulong counts_at, uint groups, global ulong* out, ulong out_at) {
  counts += counts_at, out += out_at;
  local ulong lanes[SUM_ENTRIES];
  ulong mine = 0, all;
  for (uint g = get_local_id(0); g < groups; g += LANES) mine += counts[g];
  long_sum_before(mine, lanes, &all);
  if (get_local_id(0) == 0) out[0] = all;
}

#endif

// The minimum of the items' values; all items receive it. `lanes` has LANES entries.
static inline ulong least_of_group(ulong mine, local ulong* lanes) {
  const uint l = (uint)get_local_id(0);
  lanes[l] = mine;
  for (uint apart = LANES / 2; apart > 0; apart /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // what the last step wrote, before it is read
    if (l < apart) lanes[l] = min(lanes[l], lanes[l + apart]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return lanes[0];
}

// firsts[group]: the first index in the group's range that satisfies the condition, or `places`. *found is the first
// group that has found one: groups after it stop.
GROUP void find_first(global const ELEMENT* x, ulong x_at, global const OTHER* y, ulong y_at, ulong m, global ulong* firsts,
                      ulong firsts_at, volatile global uint* found, ulong found_at, ulong places, uint tiles_each,
                      ulong low, ulong high, uint others) {
  x += x_at, y += y_at, firsts += firsts_at, found += found_at;
  local ulong lanes[LANES];
  local uint leave;
  const uint group = (uint)get_group_id(0);
  ulong tile = (ulong)group * tiles_each * LANES * ROWS, first = places;
  for (uint t = 0; t < tiles_each && tile < places; ++t, tile += LANES * ROWS) {
    if (get_local_id(0) == 0) leave = atomic_or(found, 0u) < group;
    barrier(CLK_LOCAL_MEM_FENCE);  // every item leaves, or none
    if (leave) break;
    ulong mine = places;
    for (uint r = 0; r < ROWS; ++r) {
      const ulong i = tile + r * LANES + get_local_id(0);
      if (i < places && i < mine && holds(x, y, m, i, low, high, others)) mine = i;
    }
    first = least_of_group(mine, lanes);
    if (first < places) break;
    barrier(CLK_LOCAL_MEM_FENCE);  // lanes[0] and `leave` are read, before they are written again
  }
  if (get_local_id(0) == 0) {
    firsts[group] = first;
    if (first < places) atomic_min(found, group);
  }
}

// out[0] = the least of `firsts`, or n where it is `places`.
GROUP void least_first(global const ulong* firsts, ulong firsts_at, uint groups, ulong places, ulong n,
                       global ulong* out, ulong out_at) {
  firsts += firsts_at, out += out_at;
  local ulong lanes[LANES];
  ulong mine = places;
  for (uint g = get_local_id(0); g < groups; g += LANES) mine = min(mine, firsts[g]);
  const ulong first = least_of_group(mine, lanes);
  if (get_local_id(0) == 0) out[0] = first < places ? first : n;
}

#endif
#if defined(BEST)

#if defined(USER_SOURCE)

// Whether the element at index a is better than the one at b; of equal ones the first is. Index n has no element.
static inline bool beats(global const ELEMENT* in, ulong a, ulong b, ulong n) {
  if (a == n || b == n) return b == n && a != n;
  return compare_less(in[a], in[b]) || (a < b && !compare_less(in[b], in[a]));
}

// Stores the better of two of the group's indices at the lower item.
static inline void keep_best(global const ELEMENT* in, local ulong* at, uint l, ulong n) {
  for (uint apart = LANES / 2; apart > 0; apart /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // what the last step wrote, before it is read
    if (l < apart && beats(in, at[l + apart], at[l], n)) at[l] = at[l + apart];
  }
}

// places[group]: the group's best index. Items past the end have index n.
GROUP void best_of_run(global const ELEMENT* in, ulong in_at, global ulong* places, ulong places_at, ulong n,
                       uint tiles_each) {
  in += in_at, places += places_at;
  local ulong at[LANES];
  const uint l = (uint)get_local_id(0);
  const ulong run = (ulong)tiles_each * LANES, first = get_group_id(0) * run, last = min(n, first + run);
  ulong place = n;
  for (ulong i = first + l; i < last; i += LANES)
    if (beats(in, i, place, n)) place = i;
  at[l] = place;
  keep_best(in, at, l, n);
  if (l == 0) places[get_group_id(0)] = at[0];
}

GROUP void best_of_groups(global const ELEMENT* in, ulong in_at, global const ulong* places, ulong places_at,
                          uint groups, global ulong* out, ulong out_at, ulong n) {
  in += in_at, places += places_at, out += out_at;
  local ulong at[LANES];
  const uint l = (uint)get_local_id(0);
  ulong place = n;
  for (uint g = l; g < groups; g += LANES)
    if (beats(in, places[g], place, n)) place = places[g];
  at[l] = place;
  keep_best(in, at, l, n);
  if (l == 0) out[0] = at[0];
}

#else

// A rank: smaller is better. NaNs rank last for both extremes.
static inline WORD rank_of(WORD x, uint greatest) {
#if ORDER == 2
  return greatest ? (WORD)~(WORD)(image(x) + 1) : image(x);
#else
  return greatest ? (WORD)~image(x) : image(x);
#endif
}

// Stores the better of two of the group's ranks at the lower position; of equal ones the first.
static inline void keep_best(local WORD* ranks, local ulong* at, uint l) {
  for (uint apart = LANES / 2; apart > 0; apart /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // what the last step wrote, before it is read
    if (l < apart &&
        (ranks[l + apart] < ranks[l] || (ranks[l + apart] == ranks[l] && at[l + apart] < at[l])))
      ranks[l] = ranks[l + apart], at[l] = at[l + apart];
  }
}

// places[group]: the group's best index. Items past the end have index n and the last rank.
GROUP void best_of_run(global const WORD* in, ulong in_at, global ulong* places, ulong places_at, ulong n,
                       uint tiles_each, uint greatest) {
  in += in_at, places += places_at;
  local WORD ranks[LANES];
  local ulong at[LANES];
  const uint l = (uint)get_local_id(0);
  const ulong run = (ulong)tiles_each * LANES, first = get_group_id(0) * run, last = min(n, first + run);
  WORD best = ALL_BITS;
  ulong place = first + l < last ? first + l : n;
  for (ulong i = first + l; i < last; i += LANES) {
    const WORD rank = rank_of(in[i], greatest);
    if (rank < best) best = rank, place = i;
  }
  ranks[l] = best, at[l] = place;
  keep_best(ranks, at, l);
  if (l == 0) places[get_group_id(0)] = at[0];
}

GROUP void best_of_groups(global const WORD* in, ulong in_at, global const ulong* places, ulong places_at, uint groups,
                          global ulong* out, ulong out_at, ulong n, uint greatest) {
  in += in_at, places += places_at, out += out_at;
  local WORD ranks[LANES];
  local ulong at[LANES];
  const uint l = (uint)get_local_id(0);
  WORD best = ALL_BITS;
  ulong place = n;
  for (uint g = l; g < groups; g += LANES) {
    const WORD rank = rank_of(in[places[g]], greatest);
    if (rank < best || place == n) best = rank, place = places[g];
  }
  ranks[l] = best, at[l] = place;
  keep_best(ranks, at, l);
  if (l == 0) out[0] = at[0];
}

#endif
#endif
#if defined(SIDE)

#if defined(USER_SOURCE)
#define QUERY(q) q
#define COMPARE_LESS(a, b) compare_less(a, b)
typedef ELEMENT COMPARED;
#else
#define QUERY(q) image(q)
#define COMPARE_LESS(a, b) ((a) < (b))
typedef WORD COMPARED;
#endif

// An item a query: how many of the m sorted elements precede it.
GROUP void bisect(global const ELEMENT* sorted, ulong sorted_at, global const ELEMENT* queries, ulong queries_at,
                  global OUT* out, ulong out_at, ulong n, ulong m) {
  sorted += sorted_at, queries += queries_at, out += out_at;
  const ulong i = get_global_id(0);
  if (i >= n) return;
  const COMPARED x = QUERY(queries[i]);
  ulong first = 0, left = m;
  while (left > 0) {
    const ulong half_of = left / 2;
    const COMPARED there = QUERY(sorted[first + half_of]);
#if SIDE == 1
    const bool before = !COMPARE_LESS(x, there);
#else
    const bool before = COMPARE_LESS(there, x);
#endif
    if (before) {
      first += half_of + 1;
      left -= half_of + 1;
    } else {
      left = half_of;
    }
  }
#if SIDE == 2
  out[i] = first < m && !COMPARE_LESS(x, QUERY(sorted[first]));
#else
  out[i] = first;
#endif
}

#endif
