// One channel of f32 or bytes under a square mask whose SIDE is known when this is compiled, whole or split; and f32 in
// rows under a mask of one row of any length. The host defines ELEMENT, and BYTES for bytes; SIDE, SPLIT and LEAD: the
// distance from the last multiple of four to the mask's first element.
//
// A work-item walks down four columns. It keeps the sums of all SIDE rows of results in progress: each row of elements
// is added to all of them; the first is then complete and is stored, and the others move up. Elements are read from
// global memory one row ahead; those that neighbours also read come from the nearest cache.
#ifdef SIDE

#define WINDOW ((LEAD + SIDE + 6) / 4 * 4)
#define LINES (SPLIT ? 2 : SIDE)
// Few weights stay in an item's registers. If there are many, they are read anew for each row, four by four; the
// volatile keeps the compiler from holding all of them.
#define KEPT (!SPLIT && SIDE <= 7)
#define PADDED ((SIDE + 3) / 4 * 4)

#ifdef BYTES
typedef uchar4 quad;
#define STORED(sum) convert_uchar_sat_rte(sum)
#define STORED_QUAD(sum) convert_uchar4_sat_rte(sum)
#else
typedef float4 quad;
#define STORED(sum) (sum)
#define STORED_QUAD(sum) (sum)
#endif

// A row's elements from `first` on.
static inline void read_row(global const ELEMENT* in, int edge, int first, long y, int width, int height, long pitch,
                            int whole, quad to[WINDOW / 4]) {
  y = border_index(edge, y, height);
  if (y < 0) {
#pragma unroll
    for (int q = 0; q < WINDOW / 4; ++q) to[q] = (quad)(0);
  } else if (whole) {
    global const quad* const from = (global const quad*)(in + y * pitch + first);
#pragma unroll
    for (int q = 0; q < WINDOW / 4; ++q) to[q] = from[q];
  } else {
    ELEMENT all[WINDOW];
#pragma unroll 1
    for (int i = 0; i < WINDOW; ++i) {
      const long x = border_index(edge, first + i, width);
      all[i] = x < 0 ? (ELEMENT)0 : in[y * pitch + x];
    }
#pragma unroll
    for (int q = 0; q < WINDOW / 4; ++q) to[q] = (quad)(all[4 * q], all[4 * q + 1], all[4 * q + 2], all[4 * q + 3]);
  }
}

kernel __attribute__((reqd_work_group_size(128, 1, 1))) void walk(
    global const ELEMENT* in, ulong in_at, global const float* mask, ulong mask_at, global ELEMENT* out, ulong out_at,
    int edge, int width, int height, long pitch, int out_width, int out_height, long out_pitch, int before_x,
    int before_y, uint turned, int rows, int across, int down, int quads_in, int quads_out) {
  const int group = (int)get_group_id(0), item = (int)get_local_id(0);
  const int x = (group % across * 128 + item) * 4, top = group / across % down * rows, z = group / across / down;
  in += in_at + (long)z * height * pitch;
  out += out_at + (long)z * out_height * out_pitch;
  mask += mask_at;
  local float4 weight_quads[LINES][PADDED / 4];
  local float(*const weights)[PADDED] = (local float(*)[PADDED])weight_quads;
  for (int i = item; i < LINES * SIDE; i += 128) {
    const int line = i / SIDE, column = i % SIDE;
    const int from = !turned ? i : SPLIT ? line * SIDE + SIDE - 1 - column : LINES * SIDE - 1 - i;
    // For a split mask the column's weights absorb the pillar's one weight.
    weights[line][column] = SPLIT && line == 1 ? mask[from] * mask[2 * SIDE] : mask[from];
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // orders the writes of the weights before their reads
  if (x >= out_width) return;

  const int first = x - before_x - LEAD, whole = quads_in && first >= 0 && first + WINDOW <= width;
  const int steps = min(rows, out_height - top) + SIDE - 1;
#if KEPT
  float kept[LINES][SIDE];
#pragma unroll
  for (int l = 0; l < LINES; ++l)
#pragma unroll
    for (int i = 0; i < SIDE; ++i) kept[l][i] = weights[l][i];
#define READ_WEIGHTS(w, l) for (int i = 0; i < SIDE; ++i) w[i] = kept[l][i]
#else
#define READ_WEIGHTS(w, l)                                                           \
  for (int i = 0; i < PADDED / 4; ++i) {                                             \
    const float4 four = ((volatile local float4*)weight_quads[l])[i];                \
    w[4 * i] = four.x, w[4 * i + 1] = four.y, w[4 * i + 2] = four.z, w[4 * i + 3] = four.w; \
  }
#endif
  float sum[SIDE][4];
#pragma unroll
  for (int o = 0; o < SIDE; ++o)
#pragma unroll
    for (int p = 0; p < 4; ++p) sum[o][p] = 0;
  quad next[WINDOW / 4];
  read_row(in, edge, first, top - before_y, width, height, pitch, whole, next);
  out += (top - (SIDE - 1)) * out_pitch + x;
#pragma unroll 1
  for (int r = 0; r < steps; ++r, out += out_pitch) {
    float v[WINDOW];
#pragma unroll
    for (int q = 0; q < WINDOW / 4; ++q) {
      const float4 four = convert_float4(next[q]);
      v[4 * q] = four.x, v[4 * q + 1] = four.y, v[4 * q + 2] = four.z, v[4 * q + 3] = four.w;
    }
    if (r + 1 < steps) read_row(in, edge, first, top - before_y + r + 1, width, height, pitch, whole, next);
#if SPLIT
    float w[PADDED], h[4] = {0, 0, 0, 0};
#pragma unroll
    READ_WEIGHTS(w, 0);
#pragma unroll
    for (int i = 0; i < SIDE; ++i)
#pragma unroll
      for (int p = 0; p < 4; ++p) h[p] += w[i] * v[LEAD + p + i];
#pragma unroll
    READ_WEIGHTS(w, 1);
#pragma unroll
    for (int o = 0; o < SIDE; ++o)
#pragma unroll
      for (int p = 0; p < 4; ++p) sum[o][p] = w[SIDE - 1 - o] * h[p] + (o + 1 < SIDE ? sum[o + 1][p] : 0);
#else
#pragma unroll
    for (int o = 0; o < SIDE; ++o) {
      float w[PADDED];
#pragma unroll
      READ_WEIGHTS(w, SIDE - 1 - o);
#pragma unroll
      for (int p = 0; p < 4; ++p) sum[o][p] = o + 1 < SIDE ? sum[o + 1][p] : 0;
#pragma unroll
      for (int i = 0; i < SIDE; ++i)
#pragma unroll
        for (int p = 0; p < 4; ++p) sum[o][p] += w[i] * v[LEAD + p + i];
    }
#endif
    if (r < SIDE - 1) continue;
    if (quads_out && x + 4 <= out_width) {
      *(global quad*)out = STORED_QUAD((float4)(sum[0][0], sum[0][1], sum[0][2], sum[0][3]));
    } else {
#pragma unroll
      for (int p = 0; p < 4; ++p)
        if (x + p < out_width) out[p] = STORED(sum[0][p]);
    }
  }
}

#else

// The position of element i of a tile in local memory: four unused cells after every 16, so that items whose elements
// begin 16 apart read from different banks.
#define SPREAD(i) ((i) + (i) / 16 * 4)

// A work-group computes 2048 results of a row, each item 16 of them from a window of 32 elements, in which 16 weights
// are multiplied with all results.
kernel __attribute__((reqd_work_group_size(128, 1, 1))) void long_rows(
    global const float* in, ulong in_at, global const float* mask, ulong mask_at, global float* out, ulong out_at,
    local float* weights, local float* tile, int edge, long width, long pitch, long out_width, long out_pitch,
    int mask_x, long before, uint turned, long across) {
  const int item = (int)get_local_id(0);
  const long group = get_group_id(0), first = group % across * 2048, row = group / across;
  in += in_at + row * pitch;
  out += out_at + row * out_pitch;
  mask += mask_at;
  const int padded = (mask_x + 15) / 16 * 16, wanted = 2048 + mask_x - 1;
  for (int i = item; i < padded; i += 128) weights[i] = i < mask_x ? mask[turned ? mask_x - 1 - i : i] : 0;
  const long begin = first - before;
  if (begin >= 0 && begin + wanted <= width) {
#pragma unroll 8
    for (int i = item; i < wanted; i += 128) tile[SPREAD(i)] = in[begin + i];
  } else {
    for (int i = item; i < wanted; i += 128) {
      const long x = border_index(edge, begin + i, width);
      tile[SPREAD(i)] = x < 0 ? 0 : in[x];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // orders the writes of the tile and the weights before their reads

  float sum[16], v[32];
  local const float* from = tile + 20 * item;
#pragma unroll
  for (int i = 0; i < 16; ++i) sum[i] = 0, v[i] = from[i];
  int k = 0;
  for (; k + 16 <= mask_x; k += 16) {
    from += 20;
#pragma unroll
    for (int i = 0; i < 16; ++i) v[16 + i] = from[i];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const float w = weights[k + i];
#pragma unroll
      for (int p = 0; p < 16; ++p) sum[p] += w * v[i + p];
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) v[i] = v[16 + i];
  }
  // The last, shorter group is processed one by one: a product with a zero that is not the mask's would turn an
  // infinity into NaN.
  from += 20;
#pragma unroll
  for (int i = 0; i < 16; ++i) v[16 + i] = from[i];
#pragma unroll
  for (int i = 0; i < 15; ++i)
    if (k + i < mask_x) {
      const float w = weights[k + i];
#pragma unroll
      for (int p = 0; p < 16; ++p) sum[p] += w * v[i + p];
    }
  barrier(CLK_LOCAL_MEM_FENCE);  // orders all reads of the tile before results overwrite it
#pragma unroll
  for (int p = 0; p < 16; ++p) tile[20 * item + p] = sum[p];
  barrier(CLK_LOCAL_MEM_FENCE);  // orders the writes of the results before their reads
  for (int i = item; i < 2048 && first + i < out_width; i += 128) out[first + i] = tile[SPREAD(i)];
}

#endif
