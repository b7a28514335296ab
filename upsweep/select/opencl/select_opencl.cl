// Selection in OpenCL C, after opencl/elements_as_words.cl and opencl/work_group_sums.cl: three launches, and no group waits for
//   another.
//   count_classes    each work-group counts, in its contiguous run of tiles, what is of the first and of the second
//                    class
//   add_up_classes   one group adds the counts up
//   move_classes     each group puts its tiles' elements into the order of their classes in local memory, and writes
//                    them in runs
// Elements are read twice and written once. Values are read where they are written from, by their elements' places in
// the tile.
// SORTS: 0 tells two classes by a test, 1 by flags, 2 by a difference to the element before, 3 three classes by two
// tests, 4 the elements themselves, which are their classes.

#define TILE (LANES * ROWS)

// A predicate of elements, as the images that pass: [low, high], or all others. A NaN's image is above every
// number's.
typedef struct {
  WORD low, high;
  uint others;
} interval;
static inline bool passes(interval t, WORD x) { return (t.low <= x && x <= t.high) != (t.others != 0); }

// Class 0 for kept elements.
static inline uint class_of(global const WORD* in, global const uchar* flags, ulong i, WORD x, WORD before, interval first, interval second) {
#if SORTS == 1
  return flags[i] == 0;
#elif SORTS == 2
  return i != 0 && equal(x, before);
#elif SORTS == 3
  return passes(first, image(x)) ? 0 : passes(second, image(x)) ? 1 : 2;
#elif SORTS == 4
  return x;
#else
  return !passes(first, image(x));
#endif
}

#ifdef VALUE_WORD
static inline void move_value(global const VALUE_WORD* values, global VALUE_WORD* values_out, ulong from, ulong to, uint indices) {
#if VALUE_BITS == 64 && VALUE_WORDS == 1
  if (indices) {
    values_out[to] = from;
    return;
  }
#endif
  for (uint w = 0; w < VALUE_WORDS; ++w) values_out[to * VALUE_WORDS + w] = values[from * VALUE_WORDS + w];
}
#endif

#ifndef CLASSES  // then select/opencl/select_one_pass.cl has the kernels

GROUP void count_classes(global const WORD* in, ulong in_at, global const uchar* flags, ulong flags_at, global ulong* counts, ulong counts_at, ulong n,
                         uint tiles_each, ulong low, ulong high, uint others, ulong low2, ulong high2, uint others2) {
  local ulong lanes[SUM_ENTRIES];
  const interval one = {(WORD)low, (WORD)high, others}, two = {(WORD)low2, (WORD)high2, others2};
  const uint l = (uint)get_local_id(0), g = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
  const ulong start = (ulong)g * tiles_each * TILE, last = min(start + (ulong)tiles_each * TILE, n);
  in += in_at;
  flags += flags_at;
  ulong first = 0, second = 0, total;
  ulong i = start + l;
  for (; i + (ROWS - 1) * LANES < last; i += TILE)
#pragma unroll
    for (uint r = 0; r < ROWS; ++r) {
      const ulong k = i + r * LANES;
      const uint c = class_of(in, flags, k, in[k], SORTS == 2 && k ? in[k - 1] : (WORD)0, one, two);
      first += c == 0;
      second += c == 1;
    }
  for (; i < last; i += LANES) {
    const uint c = class_of(in, flags, i, in[i], SORTS == 2 && i ? in[i - 1] : (WORD)0, one, two);
    first += c == 0;
    second += c == 1;
  }
  long_sum_before(first, lanes, &total);
  if (l == 0) counts[counts_at + g] = total;
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before it is used again
  long_sum_before(second, lanes, &total);
  if (l == 0) counts[counts_at + groups + g] = total;
}

// Each group's count becomes that of the groups before it; the totals follow the 2 · groups counts. `counted`: the
// number of totals that the caller receives.
GROUP void add_up_classes(global ulong* counts, ulong counts_at, uint groups, global ulong* count, ulong count_at, uint counted) {
  local ulong lanes[SUM_ENTRIES];
  const uint l = (uint)get_local_id(0);
  counts += counts_at;
  for (uint c = 0; c < 2; ++c) {
    ulong run = 0;
    for (uint base = 0; base < groups; base += LANES) {
      ulong total;
      const bool mine = base + l < groups;
      const ulong before = long_sum_before(mine ? counts[c * groups + base + l] : 0, lanes, &total);
      if (mine) counts[c * groups + base + l] = run + before;
      run += total;
      barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before the next round overwrites it
    }
    if (l == 0) counts[2 * groups + c] = run;
    if (l == 0 && c < counted) count[count_at + c] = run;
  }
}

// Writes `moving` classes; elements of the others are not written.
GROUP void move_classes(global const WORD* in, ulong in_at, global const uchar* flags, ulong flags_at, global WORD* out, ulong out_at,
#ifdef VALUE_WORD
                        global const VALUE_WORD* values, ulong values_at, global VALUE_WORD* values_out, ulong values_out_at, uint indices,
#endif
                        global const ulong* counts, ulong counts_at, ulong n, uint tiles_each, uint moving, ulong low, ulong high, uint others,
                        ulong low2, ulong high2, uint others2) {
  local WORD ordered[SPACED(TILE)];
  local uint lanes[SUM_ENTRIES];
#ifdef VALUE_WORD
  local ushort sources[TILE];
  values += values_at;
  values_out += values_out_at;
#endif
  const interval one = {(WORD)low, (WORD)high, others}, two = {(WORD)low2, (WORD)high2, others2};
  const uint l = (uint)get_local_id(0), g = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
  const ulong tiles = (n + TILE - 1) / TILE, begin = (ulong)g * tiles_each, end = min(begin + tiles_each, tiles);
  in += in_at;
  flags += flags_at;
  out += out_at;
  counts += counts_at;
  ulong before[2] = {counts[g], counts[groups + g]};  // of each class, before this tile
  const ulong all[2] = {counts[2 * groups], counts[2 * groups + 1]};

  for (ulong tile = begin; tile < end; ++tile) {
    const ulong start = tile * TILE;
    const uint here = (uint)min((ulong)TILE, n - start), mine = l * ROWS;
    WORD x[ROWS];
    uchar classes[ROWS];
    if (here == TILE) {
#pragma unroll
      for (uint r = 0; r < ROWS; ++r) ordered[SPACED(r * LANES + l)] = in[start + r * LANES + l];
    } else {
      for (uint i = l; i < TILE; i += LANES) ordered[SPACED(i)] = i < here ? in[start + i] : (WORD)0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the tile, before each item reads neighbours
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) x[k] = ordered[SPACED(mine + k)];
    WORD previous = 0;
    if (SORTS == 2 && start + mine && mine < here) previous = in[start + mine - 1];
    // How many of the first class in the low half, of the second in the high half.
    uint sum = 0, total;
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) {
      classes[k] = 3;
      if (mine + k < here) classes[k] = (uchar)class_of(in, flags, start + mine + k, x[k], previous, one, two);
      sum += classes[k] == 0 ? 1 : classes[k] == 1 ? 1u << 16 : 0;
      previous = x[k];
    }
    uint ahead = sum_before(sum, lanes, &total);  // its barriers: all have read the tile, before it is put into order
    const uint firsts = total & 0xffff, seconds = total >> 16;
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) {
      const uint first = ahead & 0xffff, second = ahead >> 16;
      if (classes[k] < moving) {
        const uint to = classes[k] == 0 ? first : classes[k] == 1 ? firsts + second : firsts + seconds + (mine + k - first - second);
        ordered[SPACED(to)] = x[k];
#ifdef VALUE_WORD
        sources[to] = (ushort)(mine + k);
#endif
      }
      ahead += classes[k] == 0 ? 1 : classes[k] == 1 ? 1u << 16 : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the tile in the order of its classes, before any of it is written
    const uint leaving = moving == 1 ? firsts : moving == 2 ? firsts + seconds : here;
    const ulong to_first = before[0], to_second = all[0] + before[1] - firsts,
                to_third = all[0] + all[1] + (start - before[0] - before[1]) - firsts - seconds;
#pragma unroll 4
    for (uint i = l; i < leaving; i += LANES) {
      const ulong to = (i < firsts ? to_first : i < firsts + seconds ? to_second : to_third) + i;
      out[to] = ordered[SPACED(i)];
#ifdef VALUE_WORD
      move_value(values, values_out, start + sources[i], to, indices);
#endif
    }
    before[0] += firsts;
    before[1] += seconds;
    barrier(CLK_LOCAL_MEM_FENCE);  // all is written, before the next tile is ordered
  }
}

#endif
