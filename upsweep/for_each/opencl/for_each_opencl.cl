// One work-item per index. The host defines, after the function with the user-defined source:
//   OPERANDS   global float* p0, ulong p0_at, float p1, …   with a comma after each
//   ARGUMENTS  , p0 + p0_at, p1
kernel void each(OPERANDS ulong first, ulong n) {
  const ulong i = first + get_global_id(0);
  if (i < n) at_index(i ARGUMENTS);
}
