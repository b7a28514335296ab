// reduce/global-sequential
//
// Source    kit, 2015.
// Teaches   each step adds the second half of the cells onto the first: the survivors stay together, and neighbouring
//           items touch neighbouring cells, so accesses are coalesced.
// Work      n - 1. Span log2 n, rounded up. Launches log2 n, rounded up, between copying in and copying out.
// Wrong     every step goes through global memory and is a launch; the late ones keep a handful of items busy.
// Fixed by  reduce/first-add-on-load.
// Needs an operator that commutes: x[i] meets x[i + n/2] before x[i + 1].
// Any n: with an odd number of cells the middle one waits for the next step.

kernel void add_second_half(global T* cells, ulong cells_at, ulong pairs, ulong half_of_cells) {
  const ulong i = get_global_id(0);
  cells += cells_at;
  if (i < pairs) cells[i] = OP(cells[i], cells[i + half_of_cells]);
}
