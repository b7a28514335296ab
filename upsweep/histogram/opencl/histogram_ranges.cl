// One work-item per range.
kernel void range_count(global const ulong* prefix, ulong prefix_at, global const ulong* ends, ulong ends_at, global ulong* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  ends += ends_at + 2 * i;
  prefix += prefix_at;
  out[out_at + i] = prefix[ends[1]] - prefix[ends[0]];
}
