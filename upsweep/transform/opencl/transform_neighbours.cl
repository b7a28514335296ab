// Neighbours combined, after operators.cl.
#if defined(DIFFERENCE)
#define COMBINED(x, y) ((T)((U)(x) - (U)(y)))
#else
#define COMBINED(x, y) OP(x, y)
#endif

kernel void combine_neighbours(global const T* in, ulong in_at, global T* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  const T x = in[in_at + i];
  out[out_at + i] = i ? COMBINED(x, in[in_at + i - 1]) : x;
}
