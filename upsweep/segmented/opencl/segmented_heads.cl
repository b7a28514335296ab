// Marks where runs and segments begin and end, after opencl/elements_as_words.cl. Heads are one byte an element.

kernel void heads_of_keys(global const WORD* keys, ulong keys_at, global uchar* heads, ulong heads_at, ulong n) {
  const ulong i = get_global_id(0);
  keys += keys_at;
  if (i < n) heads[heads_at + i] = i == 0 || !equal(keys[i], keys[i - 1]);
}

// `heads` begin as zeros. Of segments that begin at one position only the one that is not empty marks it; the end of
// the last segment is marked, too.
kernel void heads_of_segments(global const ulong* offsets, ulong offsets_at, global uchar* heads, ulong heads_at, ulong n, ulong m) {
  const ulong s = get_global_id(0);
  offsets += offsets_at;
  if (s <= m && offsets[s] < n && (s == m || offsets[s] < offsets[s + 1])) heads[heads_at + offsets[s]] = 1;
}

// The first key of each run, of `words` words.
kernel void keys_of_runs(global const WORD* keys, ulong keys_at, global const ulong* starts, ulong starts_at, global const ulong* count, ulong count_at,
                         global WORD* out, ulong out_at, uint words) {
  const ulong i = get_global_id(0);
  if (i >= count[count_at]) return;
  const ulong from = keys_at + starts[starts_at + i] * words, to = out_at + i * words;
  for (uint w = 0; w < words; ++w) out[to + w] = keys[from + w];
}
