// reduce/first-add-on-load
//
// Source    kit, 2015 ("kernel decomposition"), and kaust, step 4 of 7.
// Teaches   a work-group folds 2·GROUP elements in local memory, where a barrier costs little, and each item adds two
//           elements on the way in.
//           Kernel decomposition: the groups' results go to a second buffer, which the same kernel reduces, level by
//           level.
// Work      n - 1. Span log2(2·GROUP) a level. Launches one a level of 2·GROUP: 4 at 2^28 with 256 items.
// Wrong     the loop's bookkeeping and a barrier a step outlast the additions.
// Fixed by  reduce/unrolled-last-warp.
// Needs an operator that commutes: element i meets element i + GROUP first.
// Any n: what is past the end is the identity.

kernel void fold_groups(global const T* in, ulong in_at, global T* out, ulong out_at, ulong n, uint first_level, uint last_level,
                        const T init) {
  local T cells[GROUP];
  const uint t = (uint)get_local_id(0);
  const ulong i = get_group_id(0) * (2ul * GROUP) + t, j = i + GROUP;
  in += in_at;
  T a = IDENTITY, b = IDENTITY;
  if (i < n) a = first_level ? X(in[i]) : in[i];
  if (j < n) b = first_level ? X(in[j]) : in[j];
  cells[t] = OP(a, b);
  for (uint s = GROUP / 2; s; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // the cells of the second half are written, before the first half's items read them
    if (t < s) cells[t] = OP(cells[t], cells[t + s]);
  }
  if (t == 0) out[out_at + get_group_id(0)] = last_level && n ? OP(init, cells[0]) : last_level ? init : cells[0];
}
