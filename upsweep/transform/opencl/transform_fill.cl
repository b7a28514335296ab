// Kernels that only move elements, as words of their width. The host defines WORD.
kernel void fill(global WORD* out, ulong out_at, ulong n, WORD value) {
  const ulong i = get_global_id(0);
  if (i < n) out[out_at + i] = value;
}
