// Convolution in OpenCL C. The host defines the types: ELEMENT, SUM (the mask's; for integers uint, whose sums wrap)
// and RESULT, with HALF_ELEMENT and HALF_RESULT for f16, whose bits are passed as ushort, and WITH_f64.
#ifdef WITH_f64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifdef HALF_ELEMENT
#define LIFT(p, i) vload_half(i, (global const half*)(p))
#else
#define LIFT(p, i) ((SUM)(p)[i])
#endif

#ifdef HALF_RESULT
#define STORE(sum, p, i) vstore_half_rte(sum, i, (global half*)(p))
#elif defined(ROUNDED)
#define STORE(sum, p, i) (p)[i] = convert_uchar_sat_rte(sum)
#elif defined(SATURATED)
#define STORE(sum, p, i) (p)[i] = convert_uchar_sat(as_int(sum))
#else
#define STORE(sum, p, i) (p)[i] = (RESULT)(sum)
#endif

// The element at column `e`, in elements from the row's begin, of row y of slice z, as the border says, or 0.
static inline SUM element_at(global const ELEMENT* in, int edge, long e, long y, long z, long width, long height,
                             long depth, long channels, long pitch) {
  y = border_index(edge, y, height);
  z = border_index(edge, z, depth);
  if (y < 0 || z < 0) return 0;
  if (e < 0 || e >= width * channels) {
    long channel = e % channels;
    if (channel < 0) channel += channels;
    const long x = border_index(edge, (e - channel) / channels, width);
    if (x < 0) return 0;
    e = x * channels + channel;
  }
  return LIFT(in, (z * height + y) * pitch + e);
}

// A work-group computes 32 elements by 4 · 8 rows of results, each work-item four of a column. The elements in their
// windows are in local memory, a slice of the mask at a time; `tile_rows` 0: they do not fit, and are read from global
// memory.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void direct(
    global const ELEMENT* in, ulong in_at, global const SUM* mask, ulong mask_at, global RESULT* out, ulong out_at,
    local SUM* tile, uint tile_rows, int edge, long width, long height, long depth, long channels, long pitch,
    long out_width, long out_height, long out_pitch, int mask_x, int mask_y, int mask_z, long before_x, long before_y,
    long before_z, uint turned, long across, long down) {
  in += in_at;
  mask += mask_at;
  out += out_at;
  const int column = (int)get_local_id(0) % 32, row = (int)get_local_id(0) / 32 * 4;
  const long group = get_group_id(0), first = group % across * 32, top = group / across % down * 32,
             z = group / across / down;
  const int tile_width = 32 + (mask_x - 1) * (int)channels, weights = mask_x * mask_y * mask_z;
  const long out_elements = out_width * channels;
  SUM sum[4] = {0, 0, 0, 0};
  for (int k = 0; k < mask_z; ++k) {
    if (tile_rows) {
      barrier(CLK_LOCAL_MEM_FENCE);  // orders all reads of the previous slice before it is overwritten
      for (int t = (int)get_local_id(0); t < tile_width * (int)tile_rows; t += 256)
        tile[t] = element_at(in, edge, first + t % tile_width - before_x * channels, top + t / tile_width - before_y,
                             z + k - before_z, width, height, depth, channels, pitch);
      barrier(CLK_LOCAL_MEM_FENCE);  // orders the writes of the tile before reads by other items
    }
    for (int l = 0; l < mask_y + 3; ++l)
      for (int i = 0; i < mask_x; ++i) {
        const SUM e = tile_rows
                          ? tile[(row + l) * tile_width + column + i * (int)channels]
                          : element_at(in, edge, first + column + (i - before_x) * channels, top + row + l - before_y,
                                       z + k - before_z, width, height, depth, channels, pitch);
#pragma unroll
        for (int r = 0; r < 4; ++r)
          if (l >= r && l - r < mask_y) {
            const int at = (k * mask_y + l - r) * mask_x + i;
            sum[r] += mask[turned ? weights - 1 - at : at] * e;
          }
      }
  }
  if (first + column >= out_elements) return;
  for (int r = 0; r < 4; ++r)
    if (top + row + r < out_height) STORE(sum[r], out, (z * out_height + top + row + r) * out_pitch + first + column);
}

// One pass of a split mask: sums along one axis. This one reads elements along rows and writes sums to scratch.
kernel void along_rows(global const ELEMENT* in, ulong in_at, global const SUM* weights, ulong weights_at,
                       global SUM* sums, ulong sums_at, int edge, long width, long height, long depth, long channels,
                       long pitch, long out_width, int mask, long before, uint turned) {
  const long i = get_global_id(0), elements = out_width * channels;
  if (i >= elements * height * depth) return;
  const long e = i % elements, y = i / elements % height, z = i / elements / height;
  SUM sum = 0;
  for (int t = 0; t < mask; ++t)
    sum += weights[weights_at + (turned ? mask - 1 - t : t)] *
           element_at(in + in_at, edge, e + (t - before) * channels, y, z, width, height, depth, channels, pitch);
  sums[sums_at + i] = sum;
}

// From sums to sums, along an axis whose elements are `stride` apart; `size` elements become out_size.
static inline SUM sum_along(global const SUM* from, global const SUM* weights, int edge, long place, long size,
                            long stride, int mask, long before, uint turned) {
  SUM sum = 0;
  for (int t = 0; t < mask; ++t) {
    const long at = border_index(edge, place + t - before, size);
    if (at >= 0) sum += weights[turned ? mask - 1 - t : t] * from[at * stride];
  }
  return sum;
}

kernel void along_columns(global const SUM* from, ulong from_at, global const SUM* weights, ulong weights_at,
                          global SUM* to, ulong to_at, int edge, long elements, long height, long depth,
                          long out_height, int mask, long before, uint turned) {
  const long i = get_global_id(0);
  if (i >= elements * out_height * depth) return;
  const long e = i % elements, y = i / elements % out_height, z = i / elements / out_height;
  to[to_at + i] = sum_along(from + from_at + z * height * elements + e, weights + weights_at, edge, y, height, elements,
                            mask, before, turned);
}

// The last pass: it adds the sums of previous products, and stores results after the last.
kernel void along_pillars(global const SUM* from, ulong from_at, global const SUM* weights, ulong weights_at,
                          global SUM* all, ulong all_at, global RESULT* out, ulong out_at, int edge, long elements,
                          long rows, long depth, long out_depth, long out_pitch, int mask, long before, uint turned,
                          uint first, uint last) {
  const long i = get_global_id(0);
  if (i >= elements * rows * out_depth) return;
  const long e = i % elements, y = i / elements % rows, z = i / elements / rows;
  SUM sum = sum_along(from + from_at + y * elements + e, weights + weights_at, edge, z, depth, rows * elements, mask,
                      before, turned);
  if (!first) sum += all[all_at + i];
  if (last)
    STORE(sum, out + out_at, (z * rows + y) * out_pitch + e);
  else
    all[all_at + i] = sum;
}
