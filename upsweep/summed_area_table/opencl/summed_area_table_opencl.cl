// Tables, boxes and rectangles in OpenCL C. The host defines IN, OUT, SUM (the type of sums), LANES (items a
// work-group), CHANNELS, for tables PIXELS (that an item takes in a row), and for boxes BOX: 0 sum, 1 mean, 2 variance;
// EXACT for variances by exact sums of squares; SIGNED for signed integers, REAL for floats.

#ifdef WITH_f64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#ifdef TABLE

// A work-group scans a row. Each item adds up a few neighbours, the sums of the items are scanned, and each item
// continues from the sum to its left.
kernel void scan_rows(global const IN* in, ulong in_at, global OUT* out, ulong out_at, ulong width, ulong pitch, ulong out_pitch) {
  local SUM cells[LANES * PIXELS * CHANNELS];
  local SUM totals[LANES * CHANNELS];
  const uint item = get_local_id(0);
  in += in_at + get_group_id(0) * pitch;
  out += out_at + get_group_id(0) * out_pitch;
  SUM before_tile[CHANNELS];
  for (uint c = 0; c < CHANNELS; ++c) before_tile[c] = 0;
  const ulong row = width * CHANNELS;
  for (ulong first = 0; first < row; first += LANES * PIXELS * CHANNELS) {
    for (uint k = item; k < LANES * PIXELS * CHANNELS; k += LANES) cells[k] = first + k < row ? (SUM)in[first + k] : (SUM)0;
    barrier(CLK_LOCAL_MEM_FENCE);  // others have loaded this item's own elements
    local SUM* own = cells + item * PIXELS * CHANNELS;
    SUM sum[CHANNELS];
    for (uint c = 0; c < CHANNELS; ++c) {
      sum[c] = own[c];
      for (uint k = 1; k < PIXELS; ++k) sum[c] += own[k * CHANNELS + c];
      totals[c * LANES + item] = sum[c];
    }
    for (uint window = 1; window < LANES; window *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);  // the sums of the step before are written
      for (uint c = 0; c < CHANNELS; ++c)
        if (item >= window) sum[c] += totals[c * LANES + item - window];
      barrier(CLK_LOCAL_MEM_FENCE);  // they are read
      for (uint c = 0; c < CHANNELS; ++c) totals[c * LANES + item] = sum[c];
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // all sums are written
    for (uint c = 0; c < CHANNELS; ++c) {
      SUM running = before_tile[c] + (item ? totals[c * LANES + item - 1] : (SUM)0);
      for (uint k = 0; k < PIXELS; ++k) {
        running += own[k * CHANNELS + c];
        own[k * CHANNELS + c] = running;
      }
      before_tile[c] += totals[c * LANES + LANES - 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // others have written what this item stores, and the totals are read
    for (uint k = item; k < LANES * PIXELS * CHANNELS; k += LANES)
      if (first + k < row) out[first + k] = (OUT)cells[k];
    barrier(CLK_LOCAL_MEM_FENCE);  // the tile is stored
  }
}

#define ROWS 8  // an item loads before it adds

// An item a column, in place.
kernel void scan_columns(global OUT* table, ulong table_at, ulong row, ulong height, ulong pitch) {
  const ulong x = get_global_id(0);
  if (x >= row) return;
  table += table_at + x;
  SUM above = 0;
  ulong y = 0;
  for (; y + ROWS <= height; y += ROWS) {
    OUT rows[ROWS];
    for (uint k = 0; k < ROWS; ++k) rows[k] = table[(y + k) * pitch];
    for (uint k = 0; k < ROWS; ++k) {
      above += (SUM)rows[k];
      table[(y + k) * pitch] = (OUT)above;
    }
  }
  for (; y < height; ++y) {
    above += (SUM)table[y * pitch];
    table[y * pitch] = (OUT)above;
  }
}

#endif

#ifdef RECTANGLES

static inline SUM looked_up(global const OUT* table, ulong pitch, uint channel, ulong x, ulong y) {
  return x && y ? (SUM)table[(y - 1) * pitch + (x - 1) * CHANNELS + channel] : (SUM)0;
}

// An item a rectangle and channel.
kernel void rectangle_sums(global const OUT* table, ulong table_at, global const ulong* rectangles, ulong rectangles_at, global OUT* out,
                           ulong out_at, ulong m, ulong pitch) {
  const ulong i = get_global_id(0), k = i / CHANNELS;
  const uint channel = i % CHANNELS;
  if (k >= m) return;
  table += table_at;
  rectangles += rectangles_at + 4 * k;
  const ulong x0 = rectangles[0], y0 = rectangles[1], x1 = rectangles[2], y1 = rectangles[3];
  SUM sum = 0;
  if (x0 < x1 && y0 < y1)
    sum = (looked_up(table, pitch, channel, x1, y1) - looked_up(table, pitch, channel, x0, y1)) -
          (looked_up(table, pitch, channel, x1, y0) - looked_up(table, pitch, channel, x0, y0));
  out[out_at + i] = (OUT)sum;
}

#endif

#ifdef BOX

// summed_area_table/summed_area_table_box.hpp once more.
#if BOX == 2 && defined(EXACT)
typedef ulong2 PART;
#define LIFTED(x) ((ulong2)((ulong)(x), (ulong)(x) * (ulong)(x)))
#define JOINED(a, b, k, l) ((a) + (b))
#elif BOX == 2
typedef double2 PART;
#define LIFTED(x) ((double2)((double)(x), 0.0))
static inline double2 JOINED(double2 a, double2 b, double k, double l) {
  const double share = k + l > 0 ? l / (k + l) : 0, apart = b.x - a.x;
  return (double2)(a.x + apart * share, a.y + b.y + apart * apart * (k * share));
}
#else
typedef SUM PART;
#ifdef SIGNED
#define LIFTED(x) ((SUM)(long)(x))
#else
#define LIFTED(x) ((SUM)(x))
#endif
#define JOINED(a, b, k, l) ((a) + (b))
#endif

static inline OUT result(PART a, ulong k) {
#if BOX == 0
  return (OUT)a;
#elif BOX == 1 && defined(WHOLE)
  const ulong down = a / k, twice = 2 * (a % k);
  return (OUT)(down + (twice > k || (twice == k && (down & 1)) ? 1 : 0));
#elif BOX == 1 && defined(SIGNED)
  return (OUT)((double)(long)a / (double)k);
#elif BOX == 1
  return (OUT)((double)a / (double)k);
#elif defined(EXACT)
  const ulong lower = k * a.y, less = a.x * a.x, upper = mul_hi(k, a.y) - mul_hi(a.x, a.x) - (lower < less);
  return (OUT)(((double)upper * 18446744073709551616.0 + (double)(lower - less)) / (double)k / (double)k);
#else
  return (OUT)(a.y / (double)k);
#endif
}

// A line is divided into blocks as long as the window. ends[i] joins a block's elements from i to its last,
// beginnings[i] those from its first to i. A window is an end, a beginning, or both. The filter first runs down the
// columns, then along the rows of the result.

// An item a column and block.
kernel void begin_and_end_columns(global const IN* in, ulong in_at, global PART* beginnings, ulong b_at, global PART* ends, ulong e_at, ulong row,
                                  ulong height, ulong pitch, ulong window) {
  const ulong i = get_global_id(0), x = i % row, first = i / row * window;
  if (first >= height) return;
  const ulong last = min(first + window, height);
  in += in_at + x;
  beginnings += b_at + x;
  ends += e_at + x;
  PART sum = LIFTED(in[first * pitch]);
  beginnings[first * row] = sum;
  for (ulong y = first + 1; y < last; ++y) beginnings[y * row] = sum = JOINED(sum, LIFTED(in[y * pitch]), (double)(y - first), 1);
  sum = LIFTED(in[(last - 1) * pitch]);
  ends[(last - 1) * row] = sum;
  for (ulong y = last - 1; y-- > first;) ends[y * row] = sum = JOINED(LIFTED(in[y * pitch]), sum, 1, (double)(last - 1 - y));
}

// The window [from, to]; each part is of `each` elements.
static inline PART joined_window(global const PART* beginnings, global const PART* ends, ulong step, ulong from, ulong to, ulong window, double each) {
  const ulong block = to / window * window;
  if (from >= block) return from == block ? beginnings[to * step] : ends[from * step];
  return JOINED(ends[from * step], beginnings[to * step], each * (double)(block - from), each * (double)(to - block + 1));
}

kernel void join_columns(global const PART* beginnings, ulong b_at, global const PART* ends, ulong e_at, global PART* columns, ulong c_at, ulong row,
                         ulong height, ulong radius) {
  const ulong i = get_global_id(0), x = i % row, y = i / row;
  if (y >= height) return;
  const ulong from = y - min(y, radius), to = y + min(height - 1 - y, radius);
  columns[c_at + i] = joined_window(beginnings + b_at + x, ends + e_at + x, row, from, to, 2 * radius + 1, 1);
}

static inline ulong rows_at(ulong y, ulong radius, ulong height) { return min(y, radius) + min(height - 1 - y, radius) + 1; }

// An item a row, block and channel.
kernel void begin_and_end_rows(global const PART* columns, ulong c_at, global PART* beginnings, ulong b_at, global PART* ends, ulong e_at,
                               ulong width, ulong height, ulong window, ulong radius_y) {
  const ulong i = get_global_id(0), blocks = (width + window - 1) / window, line = i / (blocks * CHANNELS), at = i % (blocks * CHANNELS);
  if (line >= height) return;
  const ulong first = at / CHANNELS * window, last = min(first + window, width), offset = line * width * CHANNELS + at % CHANNELS;
  const double each = (double)rows_at(line, radius_y, height);
  columns += c_at + offset;
  beginnings += b_at + offset;
  ends += e_at + offset;
  PART sum = columns[first * CHANNELS];
  beginnings[first * CHANNELS] = sum;
  for (ulong x = first + 1; x < last; ++x)
    beginnings[x * CHANNELS] = sum = JOINED(sum, columns[x * CHANNELS], each * (double)(x - first), each);
  sum = columns[(last - 1) * CHANNELS];
  ends[(last - 1) * CHANNELS] = sum;
  for (ulong x = last - 1; x-- > first;) ends[x * CHANNELS] = sum = JOINED(columns[x * CHANNELS], sum, each, each * (double)(last - 1 - x));
}

kernel void join_rows(global const PART* beginnings, ulong b_at, global const PART* ends, ulong e_at, global OUT* out, ulong out_at, ulong width,
                      ulong height, ulong out_pitch, ulong radius_x, ulong radius_y) {
  const ulong i = get_global_id(0), row = width * CHANNELS, y = i / row, x = i % row / CHANNELS, channel = i % CHANNELS;
  if (y >= height) return;
  const ulong from = x - min(x, radius_x), to = x + min(width - 1 - x, radius_x), rows = rows_at(y, radius_y, height);
  const PART sum = joined_window(beginnings + b_at + y * row + channel, ends + e_at + y * row + channel, CHANNELS, from, to, 2 * radius_x + 1,
                                 (double)rows);
  out[out_at + y * out_pitch + i % row] = result(sum, rows * (to - from + 1));
}

#endif
