// One item an element, after operators.cl.
kernel void add_vectors(global const T* a, ulong a_at, global const T* b, ulong b_at, global T* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) out[out_at + i] = OP(a[a_at + i], b[b_at + i]);
}
