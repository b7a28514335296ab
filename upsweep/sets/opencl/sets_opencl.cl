// Operations on two sorted sequences, in OpenCL C, after opencl/elements_as_words.cl, or with USER_SOURCE after source that
// defines K and compare_less. sets/sets_steps.hpp explains the method.
//   find_cuts   each item finds by bisection where one piece begins in both
//   count_kept  each item counts the elements that its piece keeps
//   move_kept   each item walks its piece once more, and writes after the elements that pieces before it keep
// The host defines PIECE, the steps of one; FIRST, SECOND and PAIRS if elements of the first sequence alone, of the
// second alone, and of pairs are kept; and MERGE if equal keys are not paired at all.

#if defined(USER_SOURCE)
typedef K WORD;
#define BEFORE(x, y) compare_less(x, y)
#define IMAGE_BITS ulong
#else
#define IMAGE_BITS WORD
static inline WORD counted(WORD key, WORD flip, WORD mask) { return (WORD)((WORD)(image(key) ^ flip) & mask); }
#define BEFORE(x, y) (counted(x, flip, mask) < counted(y, flip, mask))
#endif

static inline ulong lower_bound(global const WORD* x, ulong low, ulong high, WORD key, IMAGE_BITS flip, IMAGE_BITS mask) {
  while (low < high) {
    const ulong i = low + (high - low) / 2;
    if (BEFORE(x[i], key)) low = i + 1; else high = i;
  }
  return low;
}
static inline ulong upper_bound(global const WORD* x, ulong low, ulong high, WORD key, IMAGE_BITS flip, IMAGE_BITS mask) {
  while (low < high) {
    const ulong i = low + (high - low) / 2;
    if (BEFORE(key, x[i])) high = i; else low = i + 1;
  }
  return low;
}

kernel void find_cuts(global const WORD* a, ulong a_at, global const WORD* b, ulong b_at, global ulong* cuts, ulong cuts_at, ulong n, ulong m,
                      ulong pieces, ulong flip_bits, ulong mask_bits) {
  const IMAGE_BITS flip = (IMAGE_BITS)flip_bits, mask = (IMAGE_BITS)mask_bits;
  const ulong p = get_global_id(0);
  if (p > pieces) return;
  a += a_at;
  b += b_at;
  cuts += cuts_at + 2 * p;
  const ulong k = p * PIECE;
  if (k >= n + m) {
    cuts[0] = n;
    cuts[1] = m;
    return;
  }
  ulong low = k > m ? k - m : 0, high = min(k, n);
  while (low < high) {
    const ulong i = low + (high - low) / 2;
    if (BEFORE(b[k - i - 1], a[i])) high = i; else low = i + 1;
  }
  ulong i = low, j = k - low;
#if !MERGE
  const WORD key = i < n && (j == m || !BEFORE(b[j], a[i])) ? a[i] : b[j];
  const ulong a0 = lower_bound(a, 0, i, key, flip, mask), b0 = lower_bound(b, 0, j, key, flip, mask), behind = i - a0 + j - b0;
  if (behind != 0) {
    const ulong of_a = upper_bound(a, a0, min(n, a0 + behind), key, flip, mask) - a0,
                of_b = upper_bound(b, b0, min(m, b0 + behind), key, flip, mask) - b0;
    ulong s = min((behind + 1) / 2, of_a), t = behind - s;
    if (t > of_b) {
      t = of_b;
      s = behind - t;
    }
    if (s == t + 1 && t < of_b) ++t;
    i = a0 + s;
    j = b0 + t;
  }
#endif
  cuts[0] = i;
  cuts[1] = j;
}

#ifdef VALUE_WORD
static inline void move_value(global const VALUE_WORD* from, global VALUE_WORD* to) {
  for (uint w = 0; w < VALUE_WORDS; ++w) to[w] = from[w];
}
#define KEEP_A(i) { if (to < capacity) { out[to] = a[i]; move_value(a_values + (i) * VALUE_WORDS, values + to * VALUE_WORDS); } ++to; }
#define KEEP_B(j) { if (to < capacity) { out[to] = b[j]; move_value(b_values + (j) * VALUE_WORDS, values + to * VALUE_WORDS); } ++to; }
#else
#define KEEP_A(i) { if (to < capacity) out[to] = a[i]; ++to; }
#define KEEP_B(j) { if (to < capacity) out[to] = b[j]; ++to; }
#endif

#if MERGE
#define STEP(FROM_A, FROM_B)                       \
  while (i < last_i && j < last_j) {               \
    if (BEFORE(b[j], a[i])) { FROM_B(j); ++j; }    \
    else { FROM_A(i); ++i; }                       \
  }
#else
#define STEP(FROM_A, FROM_B)                                              \
  while (i < last_i && j < last_j) {                                      \
    if (BEFORE(b[j], a[i])) { if (SECOND) FROM_B(j); ++j; }               \
    else if (BEFORE(a[i], b[j])) { if (FIRST) FROM_A(i); ++i; }           \
    else { if (PAIRS) FROM_A(i); ++i; ++j; }                              \
  }
#endif
#define WALK(FROM_A, FROM_B)                                  \
  STEP(FROM_A, FROM_B)                                        \
  if (FIRST) for (; i < last_i; ++i) FROM_A(i);               \
  if (SECOND) for (; j < last_j; ++j) FROM_B(j);
#define COUNT(i) { ++to; }

kernel void count_kept(global const WORD* a, ulong a_at, global const WORD* b, ulong b_at, global const ulong* cuts, ulong cuts_at, global ulong* counts,
                       ulong counts_at, ulong pieces, ulong flip_bits, ulong mask_bits) {
  const IMAGE_BITS flip = (IMAGE_BITS)flip_bits, mask = (IMAGE_BITS)mask_bits;
  const ulong p = get_global_id(0);
  if (p >= pieces) return;
  a += a_at;
  b += b_at;
  cuts += cuts_at + 2 * p;
  ulong i = cuts[0], j = cuts[1], to = 0;
  const ulong last_i = cuts[2], last_j = cuts[3];
  WALK(COUNT, COUNT)
  counts[counts_at + p] = to;
}

// `ends`: the number of elements that this piece and those before it keep.
kernel void move_kept(global const WORD* a, ulong a_at, global const WORD* b, ulong b_at, global const ulong* cuts, ulong cuts_at,
                      global const ulong* ends, ulong ends_at, global WORD* out, ulong out_at,
#ifdef VALUE_WORD
                      global const VALUE_WORD* a_values, ulong a_values_at, global const VALUE_WORD* b_values, ulong b_values_at,
                      global VALUE_WORD* values, ulong values_at,
#endif
                      global ulong* count, ulong count_at, ulong pieces, ulong capacity, ulong flip_bits, ulong mask_bits) {
  const IMAGE_BITS flip = (IMAGE_BITS)flip_bits, mask = (IMAGE_BITS)mask_bits;
  const ulong p = get_global_id(0);
  if (p >= pieces) return;
  a += a_at;
  b += b_at;
  cuts += cuts_at + 2 * p;
  ends += ends_at;
  out += out_at;
#ifdef VALUE_WORD
  a_values += a_values_at;
  b_values += b_values_at;
  values += values_at;
#endif
  ulong i = cuts[0], j = cuts[1], to = p == 0 ? 0 : ends[p - 1];
  const ulong last_i = cuts[2], last_j = cuts[3];
  WALK(KEEP_A, KEEP_B)
  if (p == pieces - 1) count[count_at] = ends[p];
}
