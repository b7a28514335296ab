// One item an element. The host defines WORD and WORDS: an element is that many words of that type.
typedef struct {
  WORD w[WORDS];
} element;

static inline ulong held(global const ulong* count, ulong count_at, ulong size) {
  const ulong n = count[count_at];
  return n < size ? n : size;
}

kernel void pad(global const WORD* in, ulong in_at, global WORD* out, ulong out_at, global const ulong* count,
                ulong count_at, ulong size, element value) {
  const ulong i = get_global_id(0);
  if (i >= size) return;
  const bool there = i < held(count, count_at, size);
  for (uint w = 0; w < WORDS; ++w) out[out_at + i * WORDS + w] = there ? in[in_at + i * WORDS + w] : value.w[w];
}

// A number in every built-in type, and one that floats hold apart from all others.
#define PATTERN ((WORD)0x3f3f3f3f3f3f3f3ful)

kernel void pad_unlike_last(global const WORD* in, ulong in_at, global WORD* out, ulong out_at,
                            global const ulong* count, ulong count_at, ulong size) {
  const ulong i = get_global_id(0);
  if (i >= size) return;
  const ulong n = held(count, count_at, size);
  bool zero = n > 0 && i >= n;
  if (zero)
    for (uint w = 0; w < WORDS; ++w) zero = zero && in[in_at + (n - 1) * WORDS + w] == PATTERN;
  for (uint w = 0; w < WORDS; ++w)
    out[out_at + i * WORDS + w] = i < n ? in[in_at + i * WORDS + w] : zero ? (WORD)0 : PATTERN;
}

kernel void take(global const WORD* in, ulong in_at, global WORD* out, ulong out_at, global const ulong* count,
                 ulong count_at, ulong size) {
  const ulong i = get_global_id(0);
  if (i >= held(count, count_at, size)) return;
  for (uint w = 0; w < WORDS; ++w) out[out_at + i * WORDS + w] = in[in_at + i * WORDS + w];
}

kernel void join(global const WORD* in, ulong in_at, global const WORD* in2, ulong in2_at, global WORD* out,
                 ulong out_at, global const ulong* count, ulong count_at, global const ulong* kept, ulong kept_at,
                 ulong size, uint behind) {
  const ulong i = get_global_id(0);
  if (i >= held(count, count_at, size)) return;
  const ulong passing = kept[kept_at + 1];
  global const WORD* from =
      i < passing ? in + in_at + i * WORDS : in2 + in2_at + (i - passing + (behind ? kept[kept_at] : 0)) * WORDS;
  for (uint w = 0; w < WORDS; ++w) out[out_at + i * WORDS + w] = from[w];
}

kernel void correct(global const ulong* in, ulong in_at, global ulong* out, ulong out_at, global const ulong* count,
                    ulong count_at, ulong size, uint each) {
  if (get_global_id(0) != 0) return;
  const ulong padded = size - held(count, count_at, size);
  out[out_at] = in[in_at] - (each || padded == 0 ? padded : 1);
}
