// The library's sort in OpenCL C, after opencl/elements_as_words.cl and opencl/work_group_sums.cl: by digits of up to eight
// bits, the lowest first, stably. A pass is three launches, and no group waits for another:
//   count_digits     each work-group counts the digits of its contiguous run of tiles
//   add_up_digits    a group for each digit: the number of its keys in all groups before
//   scatter_digits   each group sorts tile after tile by the digit in local memory and writes runs of equal digits
// Inputs that fit one tile are sorted by sort_one_tile. A pass reads the keys twice and writes them once. Values are
// read and written once, by the position of their keys in the tile. LANES is 256, one item for each digit. COUNT is
// uint, or ulong from 2^32 elements on.

#define DIGITS 256
#define TILE (LANES * ROWS)
#define COPIES 4                                          // of the counters, so that fewer items meet at one

static inline uint digit_of(WORD key, WORD flip, uint shift, uint mask) { return (uint)((WORD)(image(key) ^ flip) >> shift) & mask; }

GROUP void count_digits(global const WORD* in, ulong in_at, global COUNT* counts, ulong counts_at, ulong n, uint tiles_each, ulong flip, uint shift,
                        uint mask) {
  local uint counters[COPIES * DIGITS];
  const uint l = (uint)get_local_id(0), g = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
  const ulong first = (ulong)g * tiles_each * TILE, last = min(first + (ulong)tiles_each * TILE, n);
  in += in_at;
  for (uint c = 0; c < COPIES; ++c) counters[c * DIGITS + l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  // zeros, before anyone counts
  local uint* mine = counters + l % COPIES * DIGITS;
  // Equal digits in a row are counted at once, so that constant keys do not contend for one counter.
  uint held = 0, run = 0;
  for (ulong base = first; base < last; base += TILE) {
    WORD keys[ROWS];
    if (base + TILE <= last) {
#pragma unroll
      for (uint r = 0; r < ROWS; ++r) keys[r] = in[base + r * LANES + l];
    } else {
      for (uint r = 0; r < ROWS; ++r) keys[r] = base + r * LANES + l < last ? in[base + r * LANES + l] : (WORD)0;
    }
#pragma unroll
    for (uint r = 0; r < ROWS; ++r)
      if (base + r * LANES + l < last) {
        const uint d = digit_of(keys[r], (WORD)flip, shift, mask);
        if (d != held) {
          if (run) atomic_add(mine + held, run);
          held = d;
          run = 0;
        }
        ++run;
      }
  }
  if (run) atomic_add(mine + held, run);
  barrier(CLK_LOCAL_MEM_FENCE);  // all are counted
  uint sum = 0;
  for (uint c = 0; c < COPIES; ++c) sum += counters[c * DIGITS + l];
  counts[counts_at + (ulong)l * groups + g] = sum;
}

GROUP void add_up_digits(global COUNT* counts, ulong counts_at, global COUNT* totals, ulong totals_at, uint groups) {
  local COUNT lanes[SUM_ENTRIES];
  const uint l = (uint)get_local_id(0), d = (uint)get_group_id(0);
  counts += counts_at + (ulong)d * groups;
  COUNT run = 0;
  for (uint base = 0; base < groups; base += LANES) {
    COUNT total;
    const COUNT before = COUNT_BEFORE(base + l < groups ? counts[base + l] : 0, lanes, &total);
    if (base + l < groups) counts[base + l] = run + before;
    run += total;
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read `lanes`, before the next round overwrites it
  }
  if (l == 0) totals[totals_at + d] = run;
}

// --- a tile, by four bits ---

// Each item counts its own ROWS keys in a column of 16 counters of 16 bits, digits d and d + 8 in one word. The
// words' sums, digit by digit and item by item, are the ranks of the keys in the tile. Only the item itself accesses
// its column outside of the barriers. Columns are swapped in eights, differently in each 32, so that 32 items have no
// bank conflict, whether each reads its own column or each adds eight neighbours.
#define COUNTERS (8 * LANES)
#define COUNTER(d, l) (((d)&7) * LANES + ((l) ^ ((l) >> 5)))

static inline void rank_tile(const uint digits[ROWS], uint ranks[ROWS], local uint* counters, local uint* lanes) {
  const uint l = (uint)get_local_id(0);
#pragma unroll
  for (uint d = 0; d < 8; ++d) counters[COUNTER(d, l)] = 0;
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) {
    const uint at = COUNTER(digits[k], l), shift = digits[k] / 8 * 16, word = counters[at];
    ranks[k] = word >> shift & 0xffff;
    counters[at] = word + (1u << shift);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all columns, before each item adds eight neighbours
  uint words[8], sum = 0, total;
  const uint swap = l >> 2 & 7;
  local uint* eight = counters + 8 * l;
#pragma unroll
  for (uint k = 0; k < 8; ++k) {
    words[k] = eight[k ^ swap];
    sum += words[k];
  }
  uint before = sum_before(sum, lanes, &total);
  before += total << 16;  // digits from 8 on come after all below 8
#pragma unroll
  for (uint k = 0; k < 8; ++k) {
    eight[k ^ swap] = before;
    before += words[k];
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all sums, before each item reads its column
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) ranks[k] += counters[COUNTER(digits[k], l)] >> (digits[k] / 8 * 16) & 0xffff;
}

// Sorts the tile in `keys` by four bits. Keys past the end count as 15 and so stay there. `sources` holds the
// original position of each key in the tile; in the first round that is its current position.
static inline void sort_tile_by(local WORD* keys, local ushort* sources, local uint* counters, local uint* lanes, uint here, WORD flip, uint shift,
                                uint mask, bool first_round) {
  const uint l = (uint)get_local_id(0);
  WORD x[ROWS];
  uint nibbles[ROWS], ranks[ROWS];
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) {
    x[k] = keys[SPACED(l * ROWS + k)];
    nibbles[k] = l * ROWS + k < here ? digit_of(x[k], flip, shift, mask) : 15;
  }
#ifdef VALUE
  ushort source[ROWS];
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) source[k] = first_round ? (ushort)(l * ROWS + k) : sources[l * ROWS + k];
#endif
  rank_tile(nibbles, ranks, counters, lanes);  // its barriers: all have read their keys, before any is moved
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) {
    keys[SPACED(ranks[k])] = x[k];
#ifdef VALUE
    sources[ranks[k]] = source[k];
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all are moved
}

static inline void load_tile(global const WORD* in, uint here, local WORD* keys) {
  const uint l = (uint)get_local_id(0);
  if (here == TILE) {
#pragma unroll
    for (uint r = 0; r < ROWS; ++r) keys[SPACED(r * LANES + l)] = in[r * LANES + l];
  } else {
    for (uint r = 0; r < ROWS; ++r) keys[SPACED(r * LANES + l)] = r * LANES + l < here ? in[r * LANES + l] : (WORD)0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the tile, before each item reads neighbours
}

// A single tile, in one launch. In place, all reads precede all writes.
GROUP void sort_one_tile(global const WORD* in, ulong in_at, global WORD* out, ulong out_at,
#ifdef VALUE
                         global const VALUE* values, ulong values_at, global VALUE* values_out, ulong values_out_at, uint indices,
#endif
                         uint n, ulong flip, uint first_bit, uint last_bit) {
  local WORD keys[SPACED(TILE)];
  local uint counters[COUNTERS], lanes[SUM_ENTRIES];
  const uint l = (uint)get_local_id(0);
#ifdef VALUE
  local ushort sources[TILE];
  for (uint i = l; i < TILE; i += LANES) sources[i] = (ushort)i;
#else
  local ushort* sources = 0;
#endif
  load_tile(in + in_at, n, keys);
  for (uint bit = first_bit; bit < last_bit; bit += 4)
    sort_tile_by(keys, sources, counters, lanes, n, (WORD)flip, bit, (1u << min(4u, last_bit - bit)) - 1, false);
#ifdef VALUE
  VALUE value[ROWS];
  for (uint r = 0; r < ROWS; ++r)
    if (r * LANES + l < n) value[r] = indices ? (VALUE)sources[r * LANES + l] : values[values_at + sources[r * LANES + l]];
  barrier(CLK_GLOBAL_MEM_FENCE);  // all values are read, before any is written in their place
  for (uint r = 0; r < ROWS; ++r)
    if (r * LANES + l < n) values_out[values_out_at + r * LANES + l] = value[r];
#endif
  for (uint i = l; i < n; i += LANES) out[out_at + i] = keys[SPACED(i)];
}

GROUP void scatter_digits(global const WORD* in, ulong in_at, global WORD* out, ulong out_at,
#ifdef VALUE
                          global const VALUE* values, ulong values_at, global VALUE* values_out, ulong values_out_at, uint indices,
#endif
                          global const COUNT* counts, ulong counts_at, global const COUNT* totals, ulong totals_at, ulong n, uint tiles_each,
                          ulong flip_bits, uint shift, uint mask) {
  local WORD keys[SPACED(TILE)];
  local uint counters[COUNTERS], lanes[SUM_ENTRIES];
  local COUNT places[DIGITS], count_lanes[SUM_ENTRIES];  // where the next key of each digit goes
  local uint begins[DIGITS], ends[DIGITS];              // of each digit in the sorted tile
#ifdef VALUE
  local ushort sources[TILE];
#else
  local ushort* sources = 0;
#endif
  const WORD flip = (WORD)flip_bits;
  const uint l = (uint)get_local_id(0), g = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
  const ulong tiles = (n + TILE - 1) / TILE, first = (ulong)g * tiles_each, last = min(first + tiles_each, tiles);
  in += in_at;
  out += out_at;
#ifdef VALUE
  values += values_at;
  values_out += values_out_at;
#endif
  COUNT all;
  places[l] = COUNT_BEFORE(totals[totals_at + l], count_lanes, &all) + counts[counts_at + (ulong)l * groups + g];
  begins[l] = ends[l] = 0;

  for (ulong tile = first; tile < last; ++tile) {
    const ulong start = tile * TILE;
    const uint here = (uint)min((ulong)TILE, n - start);
    load_tile(in + start, here, keys);
    // By the lower four bits of the digit, then by the upper ones.
    sort_tile_by(keys, sources, counters, lanes, here, flip, shift, mask & 15, true);
    if (mask > 15) sort_tile_by(keys, sources, counters, lanes, here, flip, shift + 4, mask >> 4, false);

    WORD x[ROWS];
    uint digits[ROWS];
#pragma unroll
    for (uint r = 0; r < ROWS; ++r) {
      const uint i = r * LANES + l;
      if (i < here) {
        x[r] = keys[SPACED(i)];
        digits[r] = digit_of(x[r], flip, shift, mask);
        const uint next = i + 1 < here ? digit_of(keys[SPACED(i + 1)], flip, shift, mask) : DIGITS;
        if (i == 0) begins[digits[r]] = 0;
        if (next != digits[r]) {
          ends[digits[r]] = i + 1;
          if (next < DIGITS) begins[next] = i + 1;
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // each digit's begin, before keys of it are written
#pragma unroll
    for (uint r = 0; r < ROWS; ++r) {
      const uint i = r * LANES + l;
      if (i < here) {
        const COUNT to = places[digits[r]] + (i - begins[digits[r]]);
        out[to] = x[r];
#ifdef VALUE
        values_out[to] = indices ? (VALUE)(start + sources[i]) : values[start + sources[i]];
#endif
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read places and keys, before the next tile's come
    places[l] += ends[l] - begins[l];
    begins[l] = ends[l] = 0;
  }
}

// --- segments: their elements' images are sorted, then their numbers ---

// How many of the m + 1 offsets are at most i: 0 before the first segment, s + 1 in segment s, m + 1 behind the last.
static inline uint segment_of(global const ulong* offsets, ulong m, ulong i) {
  ulong low = 0, high = m + 1;
  while (low < high) {
    const ulong middle = (low + high) / 2;
    if (offsets[middle] <= i) low = middle + 1; else high = middle;
  }
  return (uint)low;
}

// Keys outside all segments share one image, so that they stay in order.
kernel void take_images(global const WORD* in, ulong in_at, global const ulong* offsets, ulong offsets_at, global WORD* images, ulong images_at, ulong n,
                        ulong m, ulong flip) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  offsets += offsets_at;
  images[images_at + i] = offsets[0] <= i && i < offsets[m] ? (WORD)(image(in[in_at + i]) ^ (WORD)flip) : (WORD)0;
}

#ifdef VALUE
kernel void take_segments(global const VALUE* index, ulong index_at, global const ulong* offsets, ulong offsets_at, global uint* segments,
                          ulong segments_at, ulong n, ulong m) {
  const ulong i = get_global_id(0);
  if (i < n) segments[segments_at + i] = segment_of(offsets + offsets_at, m, index[index_at + i]);
}
#endif

// --- merge: each item writes MERGED neighbours, and finds by bisection where they begin in both inputs ---

#define MERGED 8

static inline WORD counted(WORD key, WORD flip, WORD mask) { return (WORD)((WORD)(image(key) ^ flip) & mask); }

kernel void merge_two(global const WORD* in, ulong in_at, global const WORD* in2, ulong in2_at, global WORD* out, ulong out_at, ulong n, ulong m,
                      ulong flip_bits, ulong mask_bits) {
  const WORD flip = (WORD)flip_bits, mask = (WORD)mask_bits;
  const ulong first = get_global_id(0) * MERGED, last = min(first + MERGED, n + m);
  if (first >= last) return;
  in += in_at;
  in2 += in2_at;
  ulong low = (ulong)max((long)(first - m), 0l), high = min(first, n);
  while (low < high) {
    const ulong middle = (low + high) / 2;
    if (counted(in2[first - middle - 1], flip, mask) < counted(in[middle], flip, mask)) high = middle; else low = middle + 1;
  }
  ulong a = low, b = first - low;
  for (ulong i = first; i < last; ++i) {
    const bool from_second = a == n || (b < m && counted(in2[b], flip, mask) < counted(in[a], flip, mask));
    out[out_at + i] = from_second ? in2[b++] : in[a++];
  }
}

// --- is-sorted: the first violation of each group, and the first of those ---

static inline ulong least(ulong mine, local ulong* lanes) {
  const uint l = (uint)get_local_id(0);
  lanes[l] = mine;
  for (uint width = LANES / 2; width; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // the pairs' other halves
    if (l < width) lanes[l] = min(lanes[l], lanes[l + width]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the last step
  return lanes[0];
}

GROUP void first_breaches(global const WORD* in, ulong in_at, global ulong* breaches, ulong breaches_at, ulong n, ulong each, ulong flip, ulong mask) {
  local ulong lanes[LANES];
  const ulong first = get_group_id(0) * each, last = min(first + each, n);
  in += in_at;
  ulong breach = n;
  for (ulong i = first + get_local_id(0); i < last && breach == n; i += LANES)
    if (i && counted(in[i], (WORD)flip, (WORD)mask) < counted(in[i - 1], (WORD)flip, (WORD)mask)) breach = i;
  breach = least(breach, lanes);
  if (get_local_id(0) == 0) breaches[breaches_at + get_group_id(0)] = breach;
}

GROUP void first_breach(global const ulong* breaches, ulong breaches_at, uint count, global ulong* out, ulong out_at, ulong n) {
  local ulong lanes[LANES];
  ulong breach = n;
  for (uint i = (uint)get_local_id(0); i < count; i += LANES) breach = min(breach, breaches[breaches_at + i]);
  breach = least(breach, lanes);
  if (get_local_id(0) == 0) out[out_at] = breach;
}
