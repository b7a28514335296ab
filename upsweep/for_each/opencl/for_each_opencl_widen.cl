// to[i] = from[i]
kernel void widen(global const uint* from, ulong from_at, ulong n, global ulong* to, ulong to_at) {
  const ulong i = get_global_id(0);
  if (i < n) to[to_at + i] = from[from_at + i];
}
