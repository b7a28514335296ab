// An item for each word of the elements. WORD and INDEX are given by the host.
static inline void move_word(global const WORD* in, global const INDEX* index, ulong i, ulong words_an_element, uint gathers, global WORD* out) {
  const ulong element = i / words_an_element, other = (ulong)index[element] * words_an_element + (i - element * words_an_element);
  if (gathers) out[i] = in[other]; else out[other] = in[i];
}

kernel void move_all(global const WORD* in, ulong in_at, global const INDEX* index, ulong index_at, global WORD* out, ulong out_at,
                     ulong words, ulong words_an_element, uint gathers) {
  const ulong i = get_global_id(0);
  if (i < words) move_word(in + in_at, index + index_at, i, words_an_element, gathers, out + out_at);
}

kernel void move_flagged(global const WORD* in, ulong in_at, global const INDEX* index, ulong index_at, global const uchar* flags, ulong flags_at,
                         global WORD* out, ulong out_at, ulong words, ulong words_an_element, uint gathers) {
  const ulong i = get_global_id(0);
  if (i < words && flags[flags_at + i / words_an_element])
    move_word(in + in_at, index + index_at, i, words_an_element, gathers, out + out_at);
}
