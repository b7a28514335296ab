// Shared by the textbook variants in global memory. They overwrite their cells, so the input is first copied and
// transformed.

kernel void take_in(global const T* in, ulong in_at, global T* cells, ulong cells_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) cells[cells_at + i] = X(in[in_at + i]);
}

// One item does it.
kernel void give_out(global const T* cells, ulong cells_at, global T* out, ulong out_at, ulong n, const T init) {
  if (get_global_id(0) == 0) out[out_at] = n ? OP(init, cells[cells_at]) : init;
}
