// Offsets of segments of one length, and transposed matrices. The host defines FROM and TO, and EDGE for square tiles.
kernel void write_offsets(global ulong* to, ulong to_at, ulong lines, ulong length) {
  const ulong i = get_global_id(0);
  if (i <= lines) to[to_at + i] = i * length;
}

#define AS(x) ((TO)(modulo ? (x) % (FROM)modulo : (x)))

// One work-item per element of the output.
kernel void transpose_each(global const FROM* in, ulong in_at, global TO* out, ulong out_at, ulong batches, ulong rows, ulong columns, ulong pitch,
                           ulong modulo) {
  const ulong i = get_global_id(0);
  if (i >= batches * rows * columns) return;
  const ulong row = i % rows, column = i / rows % columns, b = i / rows / columns;
  out[out_at + i] = AS(in[in_at + (b * rows + row) * pitch + column]);
}

// One tile per work-group: read along rows, written along columns.
kernel __attribute__((reqd_work_group_size(EDGE * EDGE, 1, 1))) void transpose_tiles(global const FROM* in, ulong in_at, global TO* out, ulong out_at,
                                                                                     ulong batches, ulong rows, ulong columns, ulong pitch, ulong modulo) {
  local FROM tile[EDGE * (EDGE + 1)];
  const ulong across = (columns + EDGE - 1) / EDGE, down = (rows + EDGE - 1) / EDGE, g = get_group_id(0);
  const ulong column = g % across * EDGE, row = g / across % down * EDGE, b = g / across / down;
  const uint x = (uint)get_local_id(0) % EDGE, y = (uint)get_local_id(0) / EDGE;
  if (row + y < rows && column + x < columns) tile[y * (EDGE + 1) + x] = in[in_at + (b * rows + row + y) * pitch + column + x];
  barrier(CLK_LOCAL_MEM_FENCE);  // orders writes of the tile before reads of its columns
  if (column + y < columns && row + x < rows) out[out_at + (b * columns + column + y) * rows + row + x] = AS(tile[x * (EDGE + 1) + y]);
}
