// The first k keys, and the key of one rank, in OpenCL C, after opencl/elements_as_words.cl and
// opencl/work_group_sums.cl. Keys are compared by the bits of their order that count, shifted down: windowed(). No
// group waits for another:
//   count_digit     each work-group counts one digit among the keys of its chunk that agree with the digits found so
//                   far, the highest first
//   add_counts      a group for each digit value: its keys in all chunks
//   choose_digit    one group: the digit value that contains the rank
//   count_sides     each group: the keys of its chunk before the one sought, and equal to it
//   add_up_sides    one group: their sums over the chunks before
//   collect_first   each group: its keys before the one sought, and the first of those equal to it, in input order
//   copy_tie        the key sought itself
// search[0] is the image found so far, search[1] the rank among the keys that agree with it; finally among the equal
// ones. COUNT is uint, or ulong from 2^32 elements on.

#define DIGITS 256
#define ROWS 8
#define TILE (LANES * ROWS)
#define COPIES 4                                          // of the counters, so that fewer items meet at one

static inline WORD windowed(WORD key, WORD flip, uint first_bit, WORD window) {
  return (WORD)((WORD)((WORD)(image(key) ^ flip) >> first_bit) & window);
}

GROUP void count_digit(global const WORD* in, ulong in_at, global const ulong* search, ulong search_at, global COUNT* counts, ulong counts_at, ulong n,
                       uint tiles_each, ulong flip, uint first_bit, ulong window, uint shift, uint bits, uint is_first) {
  local uint counters[COPIES * DIGITS];
  const uint l = (uint)get_local_id(0), g = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
  const ulong first = (ulong)g * tiles_each * TILE, last = min(first + (ulong)tiles_each * TILE, n);
  const WORD found = is_first ? (WORD)0 : (WORD)search[search_at];
  const uint mask = (1u << bits) - 1;
  in += in_at;
  for (uint c = 0; c < COPIES; ++c) counters[c * DIGITS + l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  // zeros, before anyone counts
  local uint* mine = counters + l % COPIES * DIGITS;
  // Equal digits in a row are counted at once, so that constant keys do not contend for one counter.
  uint held = 0, run = 0;
  for (ulong base = first; base < last; base += TILE)
    for (uint r = 0; r < ROWS; ++r)
      if (base + r * LANES + l < last) {
        const WORD rest = (WORD)(windowed(in[base + r * LANES + l], (WORD)flip, first_bit, (WORD)window) >> shift);
        const WORD above = bits == WORD_BITS ? (WORD)0 : (WORD)(rest >> bits);
        if (above != found) continue;
        const uint d = (uint)rest & mask;
        if (d != held) {
          if (run) atomic_add(mine + held, run);
          held = d;
          run = 0;
        }
        ++run;
      }
  if (run) atomic_add(mine + held, run);
  barrier(CLK_LOCAL_MEM_FENCE);  // all are counted
  uint sum = 0;
  for (uint c = 0; c < COPIES; ++c) sum += counters[c * DIGITS + l];
  counts[counts_at + (ulong)l * groups + g] = sum;
}

GROUP void add_counts(global const COUNT* counts, ulong counts_at, global COUNT* totals, ulong totals_at, uint groups) {
  local COUNT lanes[SUM_ENTRIES];
  const uint l = (uint)get_local_id(0), d = (uint)get_group_id(0);
  counts += counts_at + (ulong)d * groups;
  COUNT mine = 0, total;
  for (uint g = l; g < groups; g += LANES) mine += counts[g];
  COUNT_BEFORE(mine, lanes, &total);
  if (l == 0) totals[totals_at + d] = total;
}

GROUP void choose_digit(global const COUNT* totals, ulong totals_at, global ulong* search, ulong search_at, ulong rank, uint bits, uint is_first) {
  local COUNT lanes[SUM_ENTRIES];
  const uint l = (uint)get_local_id(0);
  search += search_at;
  const ulong found = is_first ? 0 : search[0], sought = is_first ? rank : search[1];
  const COUNT own = totals[totals_at + l];
  COUNT all;
  const COUNT before = COUNT_BEFORE(own, lanes, &all);
  barrier(CLK_GLOBAL_MEM_FENCE);  // all have read the search, before one item writes it
  if (sought >= before && sought - before < own) {
    search[0] = found << bits | l;
    search[1] = sought - before;
  }
}

// sides: for each group the keys before the one sought, a sum over all, and the same of the equal ones.
GROUP void count_sides(global const WORD* in, ulong in_at, global const ulong* search, ulong search_at, global ulong* sides, ulong sides_at, ulong n,
                       uint tiles_each, ulong flip, uint first_bit, ulong window) {
  local ulong lanes[SUM_ENTRIES];
  const uint l = (uint)get_local_id(0), g = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
  const ulong first = (ulong)g * tiles_each * TILE, last = min(first + (ulong)tiles_each * TILE, n);
  const WORD found = (WORD)search[search_at];
  in += in_at;
  sides += sides_at;
  ulong less = 0, equal_ones = 0, all_less, all_equal;
  for (ulong i = first + l; i < last; i += LANES) {
    const WORD w = windowed(in[i], (WORD)flip, first_bit, (WORD)window);
    less += w < found;
    equal_ones += w == found;
  }
  long_sum_before(less, lanes, &all_less);
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before it is used again
  long_sum_before(equal_ones, lanes, &all_equal);
  if (l == 0) {
    sides[g] = all_less;
    sides[groups + 1 + g] = all_equal;
  }
}

GROUP void add_up_sides(global ulong* sides, ulong sides_at, uint groups) {
  local ulong lanes[SUM_ENTRIES];
  const uint l = (uint)get_local_id(0);
  for (uint side = 0; side < 2; ++side) {
    global ulong* at = sides + sides_at + side * (groups + 1);
    ulong run = 0;
    for (uint base = 0; base < groups; base += LANES) {
      ulong total;
      const ulong before = long_sum_before(base + l < groups ? at[base + l] : 0, lanes, &total);
      if (base + l < groups) at[base + l] = run + before;
      run += total;
      barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before the next round overwrites it
    }
    if (l == 0) at[groups] = run;
  }
}

// Each item has ROWS consecutive keys of a tile. A group ends once it has nothing more to write.
GROUP void collect_first(global const WORD* in, ulong in_at, global const ulong* search, ulong search_at, global const ulong* sides, ulong sides_at,
                         global WORD* keys, ulong keys_at, global ulong* index, ulong index_at, ulong n, ulong k, uint tiles_each, ulong flip,
                         uint first_bit, ulong window) {
  local uint lanes[SUM_ENTRIES];
  const uint l = (uint)get_local_id(0), g = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
  const ulong first = (ulong)g * tiles_each * TILE, last = min(first + (ulong)tiles_each * TILE, n);
  const WORD found = (WORD)search[search_at];
  global const ulong* less = sides + sides_at;
  global const ulong* equal_ones = less + groups + 1;
  const ulong all_less = less[groups], wanted = k - all_less;
  ulong less_at = less[g], equal_at = equal_ones[g];
  const ulong less_end = less[g + 1], equal_end = min(equal_ones[g + 1], wanted);
  in += in_at;
  keys += keys_at;
  index += index_at;
  for (ulong base = first; base < last && (less_at < less_end || equal_at < equal_end); base += TILE) {
    const ulong mine = base + l * ROWS;
    uint counted = 0, total;  // those before in the lower half, the equal ones in the upper half
    for (uint r = 0; r < ROWS; ++r)
      if (mine + r < last) {
        const WORD w = windowed(in[mine + r], (WORD)flip, first_bit, (WORD)window);
        counted += w < found ? 1u : w == found ? 1u << 16 : 0u;
      }
    const uint before = sum_before(counted, lanes, &total);
    if (counted) {
      ulong to_less = less_at + (before & 0xffff), to_equal = equal_at + (before >> 16);
      for (uint r = 0; r < ROWS; ++r)
        if (mine + r < last) {
          const WORD key = in[mine + r], w = windowed(key, (WORD)flip, first_bit, (WORD)window);
          if (w > found) continue;
          const ulong to = w < found ? to_less++ : all_less + to_equal++;
          if (to < k) {
            keys[to] = key;
            index[to] = mine + r;
          }
        }
    }
    less_at += total & 0xffff;
    equal_at += total >> 16;
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before the next tile overwrites it
  }
}

GROUP void copy_tie(global const WORD* in, ulong in_at, global const ulong* search, ulong search_at, global const ulong* sides, ulong sides_at,
                    global WORD* key, ulong key_at, ulong n, uint tiles_each, ulong flip, uint first_bit, ulong window) {
  local uint lanes[SUM_ENTRIES];
  const uint l = (uint)get_local_id(0), g = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
  const ulong first = (ulong)g * tiles_each * TILE, last = min(first + (ulong)tiles_each * TILE, n);
  const WORD found = (WORD)search[search_at];
  const ulong sought = search[search_at + 1];
  global const ulong* equal_ones = sides + sides_at + groups + 1;
  ulong equal_at = equal_ones[g];
  if (sought < equal_at || sought >= equal_ones[g + 1]) return;
  in += in_at;
  for (ulong base = first; base < last && equal_at <= sought; base += TILE) {
    const ulong mine = base + l * ROWS;
    uint counted = 0, total;
    for (uint r = 0; r < ROWS; ++r)
      if (mine + r < last) counted += windowed(in[mine + r], (WORD)flip, first_bit, (WORD)window) == found;
    ulong at = equal_at + sum_before(counted, lanes, &total);
    if (at <= sought && sought < at + counted)
      for (uint r = 0; r < ROWS; ++r)
        if (mine + r < last && windowed(in[mine + r], (WORD)flip, first_bit, (WORD)window) == found && at++ == sought)
          key[key_at] = in[mine + r];
    equal_at += total;
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before the next tile overwrites it
  }
}
