// For Oclgrind, whose look at uninitialised values takes what is written to an offset of a buffer for written to its
// beginning.
kernel void copy_bytes(global const uchar* in, ulong in_at, global uchar* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) out[out_at + i] = in[in_at + i];
}
