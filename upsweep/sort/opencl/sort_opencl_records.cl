// WORD and INDEX are given by the host. One item a word.
kernel void gather_words(global const WORD* in, ulong in_at, global const INDEX* index, ulong index_at,
                         global WORD* out, ulong out_at, ulong words, ulong words_a_record) {
  const ulong i = get_global_id(0);
  if (i >= words) return;
  const ulong record = i / words_a_record, place = (ulong)index[index_at + record];
  out[out_at + i] = in[in_at + place * words_a_record + (i - record * words_a_record)];
}
