// Where runs and segments begin and end, after opencl/words.cl. Heads are one byte an element.

kernel void heads_of_keys(global const WORD* keys, ulong keys_at, global uchar* heads, ulong heads_at, ulong n) {
  const ulong i = get_global_id(0);
  keys += keys_at;
  if (i < n) heads[heads_at + i] = i == 0 || !equal(keys[i], keys[i - 1]);
}

// `heads` begin as zeros. Of segments that begin at one place only the one that is not empty marks it; so does the end
// of all.
kernel void heads_of_segments(global const ulong* offsets, ulong offsets_at, global uchar* heads, ulong heads_at, ulong n, ulong m) {
  const ulong s = get_global_id(0);
  offsets += offsets_at;
  if (s <= m && offsets[s] < n && (s == m || offsets[s] < offsets[s + 1])) heads[heads_at + offsets[s]] = 1;
}

// The last of each run's scan.
kernel void last_of_runs(global const WORD* scan, ulong scan_at, global const ulong* starts, ulong starts_at, global const ulong* count, ulong count_at,
                         global WORD* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0), runs = count[count_at];
  if (i < runs) out[out_at + i] = scan[scan_at + (i + 1 < runs ? starts[starts_at + i + 1] : n) - 1];
}

kernel void last_of_segments(global const WORD* scan, ulong scan_at, global const ulong* offsets, ulong offsets_at, global WORD* out, ulong out_at,
                             ulong m, ulong init) {
  const ulong s = get_global_id(0);
  if (s >= m) return;
  offsets += offsets_at;
  out[out_at + s] = offsets[s] < offsets[s + 1] ? scan[scan_at + offsets[s + 1] - 1] : (WORD)init;
}
