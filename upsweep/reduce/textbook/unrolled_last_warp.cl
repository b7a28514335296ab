// reduce/unrolled-last-warp
//
// Source    kit, 2015 ("unrolled"), and kaust, step 5 of 7.
// Teaches   the group size is known to the compiler, so the tree is written out: no loop, no counter, and steps that
//           the size leaves out are not there at all.
// Work      n - 1. Span log2(2·GROUP) a level. Launches one a level of 2·GROUP.
// Wrong     items idle in the tree, and each folds two elements only: a launch's fixed costs are paid for too little
//           work.
// Fixed by  reduce/contiguous-chunks, where an item folds many elements before the tree.
// Erratum   the source drops the barrier in the last steps, trusting 32 items to run in lockstep and `volatile` to
//           order them. OpenCL promises neither (nor does CUDA since Volta, and a CPU's items are a loop). Here the
//           last cells are joined by one item instead: it waits for no other item, so it needs no barrier.
// Needs an operator that commutes. Any n.

#define STEP(s)                                                                                          \
  if (GROUP >= 2 * s) {                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE); /* the second half is written, before the first half's items read it */ \
    if (t < s) cells[t] = OP(cells[t], cells[t + s]);                                                    \
  }

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
  STEP(128)
  STEP(64)
  STEP(32)
  STEP(16)
  STEP(8)
  barrier(CLK_LOCAL_MEM_FENCE);  // the last eight cells, before one item joins them
  if (t == 0) {
    const T lower = OP(OP(cells[0], cells[4]), OP(cells[2], cells[6])), upper = OP(OP(cells[1], cells[5]), OP(cells[3], cells[7]));
    const T sum = OP(lower, upper);
    out[out_at + get_group_id(0)] = last_level && n ? OP(init, sum) : last_level ? init : sum;
  }
}
