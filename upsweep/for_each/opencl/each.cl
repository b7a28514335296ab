// An item an index. The host defines, behind the function of the user's own text:
//   OPERANDS   global float* p0, ulong p0_at, float p1, …   with a comma behind each
//   ARGUMENTS  , p0 + p0_at, p1
kernel void each(OPERANDS ulong first, ulong n) {
  const ulong i = first + get_global_id(0);
  if (i < n) at_index(i ARGUMENTS);
}
