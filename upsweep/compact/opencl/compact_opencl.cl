// The kernels that compaction needs in addition to a selection by flags, in OpenCL C, after opencl/elements_as_words.cl.

// flags[i] = whether stencil[i] passes or, with `others`, does not. A value passes if its image is in [low, high].
kernel void note_flags(global const WORD* stencil, ulong stencil_at, global uchar* flags, ulong flags_at, ulong n, ulong low, ulong high,
                       uint others) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  const ulong x = image(stencil[stencil_at + i]);
  flags[flags_at + i] = (uint)(low <= x && x <= high) != others;
}

kernel void exchange_flags(global uchar* flags, ulong flags_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) flags[flags_at + i] ^= 1;
}

// Moves elements that did not pass after those that did.
kernel void move_behind(global const WORD* others, ulong others_at, global const ulong* count, ulong count_at, global WORD* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0), kept = count[count_at];
  if (i < n - kept) out[out_at + kept + i] = others[others_at + i];
}

kernel void end_offsets(global const ulong* count, ulong count_at, global ulong* offsets, ulong offsets_at, ulong n) {
  if (get_global_id(0) == 0) offsets[offsets_at + count[count_at]] = n;
}
