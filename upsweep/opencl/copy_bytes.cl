// For Oclgrind: its check for uninitialised values takes a copy to an offset of a buffer as a copy to the buffer's
// beginning.
kernel void copy_bytes(global const uchar* in, ulong in_at, global uchar* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) out[out_at + i] = in[in_at + i];
}
