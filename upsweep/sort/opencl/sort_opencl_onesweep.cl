// A large sort on NVIDIA's devices, after opencl/elements_as_words.cl and opencl/warp.cl, like CUDA's
// (sort/cuda/sort_cuda_onesweep.cuh gives the reasons): by digits of eight bits, the lowest first, stably.
//   count_all_digits  counts the digits of all passes in one reading, and plans the passes
//   sweep             one pass: each key is read once and written once, to its place by one digit
//   finish_sort       copies the result of a sort in place that ended in the spare memory
// In a pass groups draw tiles by ticket. A group counts its tile's digits and publishes the counts. It gets its
// output positions for each digit from the groups that drew the first tickets, the scanners, which add up the tiles'
// counts in order, each those of its share of the digits. They exchange tagged words in a ring of rows: no fences,
// nothing to clear.
//
// Forward progress: the scanners have begun, and so has every group that drew a tile; the lowest unfinished tile
// waits for the scanners alone.
//
// LANES and COUNT_LANES are multiples of 256, and there are 1, 2 or 4 SCANNERS. WIDE: 2^32 keys and more.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#define DIGITS 256
#define WARPS (LANES / WARP)
#define TILE (LANES * ROWS)
#define MOST_PASSES 8
#define PASSES (WORD_BITS / 8)
// A free cell after every 32: keys that arrive sorted go to positions a multiple of 32 apart, which would be in one
// bank.
#define SPREAD(i) ((i) + ((i) >> 5))
#ifdef WIDE
typedef ulong PLACE;
#else
typedef uint PLACE;
#endif

#define FROM_IN 0u
#define FROM_OUT 1u
#define FROM_SPARE 2u

// Zeroed when allocated. Every sort leaves counts, arrived and tickets zero for the next one, and advances next_tag.
typedef struct {
  ulong counts[MOST_PASSES][DIGITS];
  ulong first_of[MOST_PASSES][DIGITS];  // where the keys of a digit begin
  uint ticket[MOST_PASSES];
  uint tag[MOST_PASSES];  // of a pass's first round of the ring
  uint skipped[MOST_PASSES], from[MOST_PASSES], to[MOST_PASSES];
  uint result;  // what holds the sorted keys after the last pass
  uint arrived, next_tag;
} sort_control;

#define COUNT_MASK ((1ul << 48) - 1)

static inline uint digit_of(WORD key, WORD flip, uint shift, uint mask) { return (uint)((WORD)(image(key) ^ flip) >> shift) & mask; }

// --- counting, and the plan ---

#define COUNT_GROUP kernel __attribute__((reqd_work_group_size(COUNT_LANES, 1, 1)))
#define COLUMNS (32 / PASSES)      // of each counter, so that fewer items meet at one
#define PER_PIECE (128 / WORD_BITS)
#if WORD_BITS == 8
typedef uchar16 PIECE;
#elif WORD_BITS == 16
typedef ushort8 PIECE;
#elif WORD_BITS == 32
typedef uint4 PIECE;
#else
typedef ulong2 PIECE;
#endif

static inline void count_key(local uint* column, WORD key, WORD flip, uint first_bit, uint last_bit) {
  const WORD ordered = (WORD)(image(key) ^ flip);
#pragma unroll
  for (uint p = 0; p < PASSES; ++p) {
    const uint shift = first_bit + 8 * p;
    if (shift < last_bit) {
      const uint mask = (1u << min(8u, last_bit - shift)) - 1;
      atomic_inc(column + (p * DIGITS + ((uint)(ordered >> shift) & mask)) * COLUMNS);
    }
  }
}

// One group: computes from the counts where digits begin, and which pass reads and writes which buffer.
#define PLANNED (COUNT_LANES / DIGITS)                    // passes at once
#define ROUNDS ((MOST_PASSES + PLANNED - 1) / PLANNED)
static inline void make_plan(global sort_control* c, global uint* ring_counts, global ulong* ring_prefixes, ulong n, uint passes, uint tiles,
                             uint row_bits, uint in_place, local ulong* warp_totals, local uint* one_value) {
  const uint l = (uint)get_local_id(0), v = l % DIGITS, lane = l % WARP, warp = v / WARP;
  if (l < MOST_PASSES) one_value[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  // flags are down, before any goes up
  ulong before[ROUNDS];
#pragma unroll
  for (uint r = 0; r < ROUNDS; ++r) {
    const uint p = r * PLANNED + l / DIGITS;
    ulong count = 0;
    if (p < passes) {
      count = load_long_word(&c->counts[p][v]);
      c->counts[p][v] = 0;
      if (count == n) one_value[p] = 1;
    }
    const ulong sum = long_warp_sum_to(count);
    if (p < passes && lane == WARP - 1) warp_totals[p * (DIGITS / WARP) + warp] = sum;
    before[r] = sum - count;
  }
  const uint tags_each = (tiles >> row_bits) + 1, next = c->next_tag, rows = DIGITS << row_bits;
  // Once in a thousand sorts the tags restart, and no old word may look new.
  const bool wraps = next + tags_each * passes >= 1u << 16;
  if (wraps)
    for (uint i = l; i < rows; i += COUNT_LANES) ring_counts[i] = 0, ring_prefixes[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  // every warp's totals are there, and all have read next_tag
#pragma unroll
  for (uint r = 0; r < ROUNDS; ++r) {
    const uint p = r * PLANNED + l / DIGITS;
    if (p < passes) {
      for (uint w = 0; w < warp; ++w) before[r] += warp_totals[p * (DIGITS / WARP) + w];
      c->first_of[p][v] = before[r];
    }
  }
  if (l == 0) {
    uint tag = wraps || next == 0 ? 1 : next, active = 0;
    for (uint p = 0; p < passes; ++p) active += !one_value[p];
    // The last pass writes to out, unless the first would then write where it reads.
    uint turn = in_place ? 1 : active % 2, at = FROM_IN;
    for (uint p = 0; p < passes; ++p) {
      c->skipped[p] = one_value[p];
      c->ticket[p] = 0;
      c->tag[p] = tag;
      tag += tags_each;
      if (one_value[p]) continue;
      c->from[p] = at;
      at = (turn++ % 2 == 1) != (in_place != 0) ? FROM_OUT : FROM_SPARE;
      c->to[p] = at;
    }
    c->result = at;
    c->next_tag = tag;
    c->arrived = 0;
  }
}

COUNT_GROUP void count_all_digits(global const WORD* in, ulong in_at, global ulong* control, ulong control_at, global uint* ring_counts, ulong counts_at,
                                  global ulong* ring_prefixes, ulong prefixes_at, ulong n, ulong flip_bits, uint first_bit, uint last_bit,
                                  uint passes, uint tiles, uint row_bits, uint in_place) {
  local uint counters[PASSES * DIGITS * COLUMNS];
  local ulong warp_totals[MOST_PASSES * DIGITS / WARP];
  local uint one_value[MOST_PASSES], last_group;
  const WORD flip = (WORD)flip_bits;
  const uint l = (uint)get_local_id(0), groups = (uint)get_num_groups(0);
  in += in_at;
  global sort_control* c = (global sort_control*)(control + control_at);
  for (uint i = l; i < PASSES * DIGITS * COLUMNS; i += COUNT_LANES) counters[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  // the counters are zero
  local uint* column = counters + l % COLUMNS;

  // Pieces of 16 bytes, and single keys before and after them.
  const ulong misplaced = (ulong)in % 16 / sizeof(WORD), head = min(n, (PER_PIECE - misplaced) % PER_PIECE),
              pieces = (n - head) / PER_PIECE, tail = head + pieces * PER_PIECE, stride = (ulong)groups * COUNT_LANES;
  global const PIECE* body = (global const PIECE*)(in + head);
  ulong i = get_group_id(0) * (ulong)COUNT_LANES + l;
  for (; i + 3 * stride < pieces; i += 4 * stride) {
    union { PIECE piece; WORD keys[PER_PIECE]; } x[4];
#pragma unroll
    for (uint k = 0; k < 4; ++k) x[k].piece = body[i + k * stride];
#pragma unroll
    for (uint k = 0; k < 4; ++k)
#pragma unroll
      for (uint j = 0; j < PER_PIECE; ++j) count_key(column, x[k].keys[j], flip, first_bit, last_bit);
  }
  for (; i < pieces; i += stride) {
    union { PIECE piece; WORD keys[PER_PIECE]; } x;
    x.piece = body[i];
#pragma unroll
    for (uint j = 0; j < PER_PIECE; ++j) count_key(column, x.keys[j], flip, first_bit, last_bit);
  }
  if (get_group_id(0) == 0 && l < 2 * PER_PIECE) {
    const ulong at = l < PER_PIECE ? l : tail + l - PER_PIECE;
    if (l < PER_PIECE ? at < head : at < n) count_key(column, in[at], flip, first_bit, last_bit);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all keys of the group are counted
  for (uint row = l; row < passes * DIGITS; row += COUNT_LANES) {
    uint sum = 0;
#pragma unroll
    for (uint k = 0; k < COLUMNS; ++k) sum += counters[row * COLUMNS + (k + row) % COLUMNS];
    if (sum) atom_add(&c->counts[0][0] + row, (ulong)sum);
  }
  device_fence();                // this item's counts come before the group's arrival
  barrier(CLK_LOCAL_MEM_FENCE);  // and so do all items'
  if (l == 0) last_group = atomic_inc(&c->arrived) == groups - 1;
  barrier(CLK_LOCAL_MEM_FENCE);  // all know whether theirs is the last group
  if (!last_group) return;
  device_fence();  // the other groups' counts come after their arrival
  make_plan(c, ring_counts + counts_at, ring_prefixes + prefixes_at, n, passes, tiles, row_bits, in_place, warp_totals, one_value);
}

// --- a pass ---

// A scanner has its share of the digits. Its items form sections, an item for two digits; sections take windows of
// tiles in turn, so that many rows are in flight at once. The running sums pass from section to section through local
// memory, in words that contain the window's number.
#define SHARE (DIGITS / SCANNERS)
#define SECTION (SHARE / 2)
#define SECTIONS (LANES / SECTION)
#define WINDOW 16

// With the tag subtracted, words are the counts if the tag is right, and far greater otherwise. True if all have
// arrived.
static inline bool look(global const uint* from, uint tag, uint2 x[WINDOW]) {
  uint all = 0;
#pragma unroll
  for (uint k = 0; k < WINDOW; ++k) x[k] = load_two_words(from + k * DIGITS);
#pragma unroll
  for (uint k = 0; k < WINDOW; ++k) {
    x[k].x -= tag << 16;
    x[k].y -= tag << 16;
    all |= x[k].x | x[k].y;
  }
  return all_of_warp(all < 1u << 16);
}
static inline void scan_tiles(global const sort_control* c, uint scanner, uint pass, uint tiles, uint row_bits, global const uint* ring_counts,
                              global ulong* ring_prefixes, volatile local ulong* running) {
  const uint l = (uint)get_local_id(0), section = l / SECTION, mine = l % SECTION * 2, row_mask = (1u << row_bits) - 1, first_tag = c->tag[pass];
  for (uint d = l; d < SHARE; d += LANES) running[d] = c->first_of[pass][scanner * SHARE + d];
  barrier(CLK_LOCAL_MEM_FENCE);  // the sums are where they begin
  for (uint window = section; window * WINDOW < tiles; window += SECTIONS) {
    const uint first = window * WINDOW, count = min(tiles - first, (uint)WINDOW);
    const ulong tag = first_tag + (first >> row_bits);  // a window does not cross the ring's end
    const ulong row = (ulong)(first & row_mask) * DIGITS + scanner * SHARE + mine;
    global const uint* from = ring_counts + row;
    global ulong* to = ring_prefixes + row;
    uint2 x[WINDOW];
    bool all_here = look(from, (uint)tag, x);
    ulong sum_x, sum_y;
    while (true) {
      sum_x = running[mine];
      sum_y = running[mine + 1];
      if (all_of_warp(sum_x >> 48 == (window & 0xffff) && sum_y >> 48 == (window & 0xffff))) break;
      if (!all_here) all_here = look(from, (uint)tag, x);
    }
    sum_x = (sum_x & COUNT_MASK) | tag << 48;
    sum_y = (sum_y & COUNT_MASK) | tag << 48;
    const ulong turn = (ulong)(window + 1) << 48;
    if (all_here) {
      uint all_x = 0, all_y = 0;
#pragma unroll
      for (uint k = 0; k < WINDOW; ++k) all_x += x[k].x, all_y += x[k].y;
      running[mine] = ((sum_x + all_x) & COUNT_MASK) | turn;
      running[mine + 1] = ((sum_y + all_y) & COUNT_MASK) | turn;
#pragma unroll
      for (uint k = 0; k < WINDOW; ++k) {
        store_two_words(to + k * DIGITS, sum_x, sum_y);
        sum_x += x[k].x;
        sum_y += x[k].y;
      }
    } else {
      for (uint done = 0;;) {
#pragma unroll
        for (uint k = 0; k < WINDOW; ++k)
          if (k == done && k < count && all_of_warp((x[k].x | x[k].y) < 1u << 16)) {
            store_two_words(to + k * DIGITS, sum_x, sum_y);
            sum_x += x[k].x;
            sum_y += x[k].y;
            ++done;
          }
        if (done == count) break;
        look(from, (uint)tag, x);
      }
      running[mine] = (sum_x & COUNT_MASK) | turn;
      running[mine + 1] = (sum_y & COUNT_MASK) | turn;
    }
  }
}

// A warp's keys are consecutive; item k of its lanes comes before item k + 1. Keys past the end come last.
static inline void load_keys(global const WORD* from, uint first, uint count, WORD past_end, WORD key[ROWS]) {
  if (count == TILE) {
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) key[k] = from[first + k * WARP];
  } else {
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) key[k] = first + k * WARP < count ? from[first + k * WARP] : past_end;
  }
}

#if ORDER == 2
// No float's image is the lowest of all, which would come last in descending order.
#define DIGIT(k, count) (first + (k)*WARP < (count) ? digit_of(key[k], flip, shift, mask) : mask)
#else
#define DIGIT(k, count) digit_of(key[k], flip, shift, mask)
#endif

#ifdef VALUE
static inline void load_values(global const VALUE* from, ulong start, uint first, uint count, bool indices, VALUE value[ROWS]) {
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) {
    if (indices)
      value[k] = (VALUE)(start + first + k * WARP);
    else if (first + k * WARP < count)
      value[k] = from[start + first + k * WARP];
  }
}
#endif

// From a tile's keys to each warp's places in it, in `next`. Returns where in the tile the keys of digit l begin.
static inline uint count_and_publish(const WORD key[ROWS], uint first, uint count, WORD flip, uint shift, uint mask, local uint* next,
                                     local uint* warp_totals, global uint* counts, uint tag) {
  const uint l = (uint)get_local_id(0), lane = l % WARP, warp = l / WARP;
  local uint* ours = next + warp * DIGITS;
#pragma unroll
  for (uint v = 0; v < DIGITS / WARP; ++v) ours[v * WARP + lane] = 0;
  warp_barrier();  // the warp's counters are zero
#pragma unroll
  for (uint k = 0; k < ROWS; ++k) atomic_inc(ours + DIGIT(k, count));
  barrier(CLK_LOCAL_MEM_FENCE);  // every warp has counted
  uint total = 0, sum = 0;
  if (l < DIGITS) {
#pragma unroll
    for (uint w = 0; w < WARPS; ++w) total += next[w * DIGITS + l];
    store_word(counts + l, tag << 16 | (total - (l == mask ? TILE - count : 0)));
    sum = warp_sum_to(total);
    if (lane == WARP - 1) warp_totals[warp] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the first eight warps wrote their totals
  uint begin = sum - total;
  if (l < DIGITS) {
#pragma unroll
    for (uint w = 0; w < DIGITS / WARP - 1; ++w)
      if (w < warp) begin += warp_totals[w];
    uint at = begin;
#pragma unroll
    for (uint w = 0; w < WARPS; ++w) {
      const uint counted = next[w * DIGITS + l];  // read again: registers are full of keys
      next[w * DIGITS + l] = at;
      at += counted;
    }
  }
  return begin;
}

static inline void copy_keys(global const WORD* from, global WORD* to, ulong n) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) to[i] = from[i];
}
#ifdef VALUE
static inline void copy_values(global const VALUE* from, global VALUE* to, ulong n, bool indices) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) to[i] = indices ? (VALUE)i : from[i];
}
#endif

// Without a required group size, which would make the compiler allot registers for fewer groups.
kernel void sweep(
    global const WORD* in, ulong in_at, global WORD* out, ulong out_at, global WORD* spare, ulong spare_at,
#ifdef VALUE
    global const VALUE* values, ulong values_at, global VALUE* values_out, ulong values_out_at, global VALUE* values_spare, ulong values_spare_at,
    uint indices,
#endif
    global ulong* control, ulong control_at, global uint* ring_counts, ulong counts_at, global ulong* ring_prefixes, ulong prefixes_at, ulong n,
    ulong flip_bits, uint first_bit, uint last_bit, uint pass, uint passes, uint tiles, uint row_bits, uint in_place) {
  local uint next[WARPS * DIGITS], warp_totals[DIGITS / WARP], drawn;  // of a warp's digits: counts, then where its next key goes
  local WORD sorted[SPREAD(TILE)];
  local ulong shift_words[DIGITS];  // PLACEs, or the scanner's sums: from a place in the sorted tile to one in the output
  local PLACE* shift_of = (local PLACE*)shift_words;
#ifdef VALUE
  local VALUE sorted_values[SPREAD(TILE)];
  values += values_at;
  values_out += values_out_at;
  values_spare += values_spare_at;
#endif
  const WORD flip = (WORD)flip_bits;
  const uint l = (uint)get_local_id(0), lane = l % WARP, warp = l / WARP, shift = first_bit + 8 * pass,
             mask = (1u << min(8u, last_bit - shift)) - 1;
  in += in_at;
  out += out_at;
  spare += spare_at;
  global sort_control* c = (global sort_control*)(control + control_at);
  ring_counts += counts_at;
  ring_prefixes += prefixes_at;
  if (c->skipped[pass]) {
    if (pass == passes - 1 && c->result == FROM_IN) {
      if (in != out) copy_keys(in, out, n);
#ifdef VALUE
      if (indices || values != values_out) copy_values(values, values_out, n, indices);
#endif
    }
    return;
  }
  const uint from = c->from[pass], to = c->to[pass], first_tag = c->tag[pass], row_mask = (1u << row_bits) - 1, below = lanes_below();
  global const WORD* keys_in = from == FROM_IN ? in : from == FROM_OUT ? out : spare;
  global WORD* keys_out = to == FROM_OUT ? out : spare;
#ifdef VALUE
  global const VALUE* values_in = from == FROM_IN ? values : from == FROM_OUT ? values_out : values_spare;
  global VALUE* values_to = to == FROM_OUT ? values_out : values_spare;
  const bool numbered = indices && from == FROM_IN;
#endif
#if ORDER == 1
  const WORD past_end = (WORD)(~flip ^ TOP_BIT);
#else
  const WORD past_end = (WORD)~flip;
#endif

  if (l == 0) drawn = atomic_inc(&c->ticket[pass]);
  barrier(CLK_LOCAL_MEM_FENCE);  // the first ticket
  if (drawn < SCANNERS) {
    scan_tiles(c, drawn, pass, tiles, row_bits, ring_counts, ring_prefixes, shift_words);
    return;
  }
  uint tile = drawn - SCANNERS;
  if (tile >= tiles) return;

  local uint* ours = next + warp * DIGITS;
  const uint first = warp * WARP * ROWS + lane;
  WORD key[ROWS];
#ifdef VALUE
  VALUE value[ROWS];
#endif
  ulong start = (ulong)tile * TILE;
  uint count = (uint)min(n - start, (ulong)TILE);
  load_keys(keys_in + start, first, count, past_end, key);
  uint begin = count_and_publish(key, first, count, flip, shift, mask, next, warp_totals,
                                 ring_counts + (tile & row_mask) * DIGITS, first_tag + (tile >> row_bits));
#ifdef VALUE
  load_values(values_in, start, first, count, numbered, value);
#endif
  barrier(CLK_LOCAL_MEM_FENCE);  // every warp's places are there
  while (true) {
    const uint count_now = count;
#pragma unroll
    for (uint k = 0; k < ROWS; ++k) {
      if (k == ROWS / 2 && l == LANES - 1) drawn = atomic_inc(&c->ticket[pass]);
      const uint digit = DIGIT(k, count);
      const uint same = lanes_with_digit(digit), place = ours[digit] + popcount(same & below);
      warp_barrier();  // every lane has read, before the last of each digit writes
      if ((same & ~below) == below + 1) ours[digit] = place + 1;
      warp_barrier();  // written, before the warp's next keys are placed
      sorted[SPREAD(place)] = key[k];
#ifdef VALUE
      sorted_values[SPREAD(place)] = value[k];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the tile is sorted, and the next ticket is there
    const uint next_tile = drawn - SCANNERS;
    // Loaded now, needed after the next tile is counted.
    global const ulong* const prefix_word = ring_prefixes + (tile & row_mask) * DIGITS + l % DIGITS;
    ulong prefix = l < DIGITS ? load_long_word(prefix_word) : 0;

    // The next tile is counted and published before this one is written, so that its prefix has arrived when it is
    // needed.
    uint next_begin = 0;
    if (next_tile < tiles) {
      start = (ulong)next_tile * TILE;
      count = (uint)min(n - start, (ulong)TILE);
      load_keys(keys_in + start, first, count, past_end, key);
      next_begin = count_and_publish(key, first, count, flip, shift, mask, next, warp_totals,
                                     ring_counts + (next_tile & row_mask) * DIGITS, first_tag + (next_tile >> row_bits));
#ifdef VALUE
      load_values(values_in, start, first, count, numbered, value);
#endif
    }
    if (l < DIGITS) {
      const uint tag = first_tag + (tile >> row_bits);
      while ((uint)(prefix >> 48) != tag) prefix = load_long_word(prefix_word);
      shift_of[l] = (PLACE)((prefix & COUNT_MASK) - begin);
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // where the tile's parts go is known, and every warp's places in the next
#define WRITE(i)                                                             \
  {                                                                          \
    const WORD moved = sorted[SPREAD(i)];                                    \
    const PLACE at = shift_of[digit_of(moved, flip, shift, mask)] + (i);     \
    keys_out[at] = moved;                                                    \
    WRITE_VALUE(i)                                                           \
  }
#ifdef VALUE
#define WRITE_VALUE(i) values_to[at] = sorted_values[SPREAD(i)];
#else
#define WRITE_VALUE(i)
#endif
    if (count_now == TILE) {
#pragma unroll
      for (uint r = 0; r < ROWS; ++r) WRITE(r * LANES + l)
    } else {
      for (uint i = l; i < count_now; i += LANES) WRITE(i)
    }
    if (next_tile >= tiles) return;
    tile = next_tile;
    begin = next_begin;
    barrier(CLK_LOCAL_MEM_FENCE);  // the tile is written, and its memory is free for the next
  }
}

// In place, an odd number of passes ends in the spare memory.
kernel void finish_sort(global const ulong* control, ulong control_at, global const WORD* spare, ulong spare_at, global WORD* out, ulong out_at,
#ifdef VALUE
                        global const VALUE* values_spare, ulong values_spare_at, global VALUE* values_out, ulong values_out_at,
#endif
                        ulong n) {
  if (((global const sort_control*)(control + control_at))->result != FROM_SPARE) return;
  copy_keys(spare + spare_at, out + out_at, n);
#ifdef VALUE
  copy_values(values_spare + values_spare_at, values_out + values_out_at, n, false);
#endif
}
