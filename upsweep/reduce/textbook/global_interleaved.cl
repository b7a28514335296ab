// reduce/global-interleaved
//
// Source    kit, 2015.
// Teaches   the tree: at stride 1, 2, 4, … every second survivor takes in its neighbour. Work-groups cannot wait for
//           each other inside a kernel, so each step is a launch, and the end of a launch its barrier.
// Work      n - 1. Span log2 n, rounded up. Launches log2 n, rounded up, between copying in and copying out.
// Wrong     at stride s neighbouring items touch cells 2s apart: beyond a few steps each element costs a whole memory
//           transaction.
// Fixed by  reduce/global-sequential. (Neighbours are joined in order, so this variant takes operators that do not
// commute; that one does not.) Any n: a survivor without a neighbour does not change.

kernel void add_neighbour(global T* cells, ulong cells_at, ulong n, ulong stride) {
  const ulong i = get_global_id(0) * 2 * stride;
  cells += cells_at;
  if (i + stride < n) cells[i] = OP(cells[i], cells[i + stride]);
}
