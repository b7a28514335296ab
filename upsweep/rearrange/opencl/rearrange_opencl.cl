// One item an element, or a pair of them. The host defines WORD; an element has `words` of them.
kernel void exchange_ends(global WORD* x, ulong x_at, ulong n, ulong words) {
  const ulong i = get_global_id(0);
  if (i >= n / 2) return;
  global WORD* a = x + x_at + i * words;
  global WORD* b = x + x_at + (n - 1 - i) * words;
  for (ulong w = 0; w < words; ++w) {
    const WORD first = a[w];
    a[w] = b[w];
    b[w] = first;
  }
}

kernel void take_from_the_end(global const WORD* in, ulong in_at, global WORD* out, ulong out_at, ulong n, ulong words) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  for (ulong w = 0; w < words; ++w) out[out_at + i * words + w] = in[in_at + (n - 1 - i) * words + w];
}

// Works on n words, whatever elements they belong to.
kernel void exchange(global const WORD* in, ulong in_at, global const WORD* in2, ulong in2_at, global WORD* out, ulong out_at, global WORD* out2,
                     ulong out2_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  const WORD a = in[in_at + i], b = in2[in2_at + i];
  out[out_at + i] = b;
  out2[out2_at + i] = a;
}

// seeded_permutation of rearrange/rearrange_permutation.hpp: its members, its rounds.
typedef struct {
  ulong n, rows, factor[8], summand[8];
  uint bits, exchanged;
  uchar listed[256];
} permutation;

static inline ulong place_of(const permutation* p, ulong i) {
  if (p->n <= 256) return p->listed[i];
  do {
    ulong row = i >> p->bits, column = i & (((ulong)1 << p->bits) - 1);
    for (int r = 0; r < 8; r += 2) {
      row += (((column * p->factor[r] + p->summand[r]) >> 32) * p->rows) >> 32;
      row -= row >= p->rows ? p->rows : 0;
      column ^= (row * p->factor[r + 1] + p->summand[r + 1]) >> (64 - p->bits);
    }
    i = row << p->bits | column;
    if (i < 2) i ^= p->exchanged;
  } while (i >= p->n);
  return i;
}

kernel void take_from_place(global const WORD* in, ulong in_at, global WORD* out, ulong out_at, ulong n, ulong words, permutation place) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  const ulong from = place_of(&place, i);
  for (ulong w = 0; w < words; ++w) out[out_at + i * words + w] = in[in_at + from * words + w];
}

kernel void tell_place(global WORD* out, ulong out_at, ulong n, permutation place) {
  const ulong i = get_global_id(0);
  if (i < n) out[out_at + i] = (WORD)place_of(&place, i);
}
