// The filters in OpenCL C. Pictures are f32, rows in_pitch and out_pitch elements apart. Borders are in opencl/image_borders.cl.
#pragma OPENCL FP_CONTRACT OFF

// ---- median

// Maps floats to integers of the same order, NaN last, and back.
static inline uint ordered(float v) {
  if (v != v) return ~0u;
  const uint bits = as_uint(v);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
static inline float value_of(uint order) {
  return order == ~0u ? as_float(0x7fc00000u) : as_float(order >> 31 ? order & 0x7fffffffu : ~order);
}

// Large windows. A work-group computes 16 by 16 results of one channel, with the elements of their windows in local
// memory. The median is found bit by bit: it is the largest number that at most half of the window is smaller than.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void median(global const float* in, ulong in_at,
                                                                    global float* out, ulong out_at, local uint* tile,
                                                                    int edge, int edge_down, long width, long height,
                                                                    long in_pitch, long out_pitch, int channels,
                                                                    int radius, long across, long down) {
  const long group = get_group_id(0), left = group % across * 16, top = group / across % down * 16;
  const int c = (int)(group / across / down), side = 16 + 2 * radius, item = (int)get_local_id(0);
  for (int t = item; t < side * side; t += 256) {
    const long x = border_index(edge, left + t % side - radius, width), y = border_index(edge_down, top + t / side - radius, height);
    tile[t] = ordered(x < 0 || y < 0 ? 0.0f : in[in_at + y * in_pitch + x * channels + c]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // orders the writes of the tile before reads by other items
  const int x = item % 16, y = item / 16, wide = 2 * radius + 1;
  if (left + x >= width || top + y >= height) return;
  uint middle = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const uint candidate = middle | 1u << bit;
    int smaller = 0;
    for (int j = 0; j < wide; ++j)
      for (int i = 0; i < wide; ++i) smaller += tile[(y + j) * side + x + i] < candidate;
    if (smaller <= wide * wide / 2) middle = candidate;
  }
  out[out_at + (top + y) * out_pitch + (left + x) * channels + c] = value_of(middle);
}

#ifdef RADIUS
// Small windows, by dropping extremes: of half a window and two more elements neither the smallest nor the largest can
// be the median; both are dropped, another element is added, and so on. A work-group computes 32 by 8 results.
#define WIDE (2 * RADIUS + 1)
#define KEPT (WIDE * WIDE / 2 + 2)
#define STRIDE (32 + 2 * RADIUS)
#define EXCHANGE(a, b)              \
  {                                 \
    const uint smaller = min(a, b); \
    b = max(a, b);                  \
    a = smaller;                    \
  }
#define FORGET(n)                                                                        \
  if (n <= KEPT) {                                                                       \
    for (int i = 0; i < n / 2; ++i) EXCHANGE(some[i], some[n - 1 - i]);                  \
    for (int i = 1; i < (n + 1) / 2; ++i) EXCHANGE(some[0], some[i]);                    \
    for (int i = n / 2; i < n - 1; ++i) EXCHANGE(some[i], some[n - 1]);                  \
    if (n > 3) some[0] = window[(2 * KEPT - n) / WIDE * STRIDE + (2 * KEPT - n) % WIDE]; \
  }
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void small_median(global const float* in, ulong in_at,
                                                                          global float* out, ulong out_at, int edge,
                                                                          int edge_down, long width, long height,
                                                                          long in_pitch, long out_pitch, int channels,
                                                                          long across, long down) {
  local uint tile[(8 + 2 * RADIUS) * STRIDE];
  const long group = get_group_id(0), left = group % across * 32, top = group / across % down * 8;
  const int c = (int)(group / across / down), item = (int)get_local_id(0);
  for (int t = item; t < (8 + 2 * RADIUS) * STRIDE; t += 256) {
    const long x = border_index(edge, left + t % STRIDE - RADIUS, width),
               y = border_index(edge_down, top + t / STRIDE - RADIUS, height);
    tile[t] = ordered(x < 0 || y < 0 ? 0.0f : in[in_at + y * in_pitch + x * channels + c]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // orders the writes of the tile before reads by other items
  const int x = item % 32, y = item / 32;
  if (left + x >= width || top + y >= height) return;
  local const uint* const window = tile + y * STRIDE + x;
  uint some[KEPT];
#pragma unroll
  for (int i = 0; i < KEPT; ++i) some[i] = window[i / WIDE * STRIDE + i % WIDE];
  // Unrolled by hand: compilers do not unroll so long a loop, and would then not keep the array in registers.
  FORGET(26) FORGET(25) FORGET(24) FORGET(23) FORGET(22) FORGET(21) FORGET(20) FORGET(19)
  FORGET(18) FORGET(17) FORGET(16) FORGET(15) FORGET(14) FORGET(13) FORGET(12) FORGET(11)
  FORGET(10) FORGET(9) FORGET(8) FORGET(7) FORGET(6) FORGET(5) FORGET(4) FORGET(3)
  out[out_at + (top + y) * out_pitch + (left + x) * channels + c] = value_of(some[1]);
}
#endif

// ---- bilateral

#ifdef CHANNELS
// A work-group computes 32 by 32 results, each item four of a column, 8 rows apart. The elements of their windows are
// in local memory, one plane per channel. Exponents are of e; the exponents of the distances in pixels and in colour
// are added.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void tiled_bilateral(
    global const float* in, ulong in_at, global float* out, ulong out_at, local float* planes, int edge, int edge_down,
    long width, long height, long in_pitch, long out_pitch, int radius, int radius_down, float per_place,
    float per_colour, long across) {
  const long left = get_group_id(0) % across * 32, top = get_group_id(0) / across * 32;
  const int side = 32 + 2 * radius, item = (int)get_local_id(0);
  for (int t = item; t < side * side; t += 256) {
    const long x = border_index(edge, left + t % side - radius, width), y = border_index(edge_down, top + t / side - radius, height);
    for (int c = 0; c < CHANNELS; ++c)
      planes[c * side * side + t] = x < 0 || y < 0 ? 0.0f : in[in_at + y * in_pitch + x * CHANNELS + c];
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // orders the writes of the tile before reads by other items
  const int x = item % 32;
  for (int y = item / 32; y < 32; y += 8) {
    if (left + x >= width || top + y >= height) return;
    local const float* const middle = planes + (y + radius) * side + x + radius;
    float here[CHANNELS], sums[CHANNELS], weights = 0;
    for (int c = 0; c < CHANNELS; ++c) here[c] = middle[c * side * side], sums[c] = 0;
    for (int dy = -radius_down; dy <= radius_down; ++dy) {
      const int reach = (int)sqrt((float)(radius * radius - dy * dy));
      for (int dx = -reach; dx <= reach; ++dx) {
        float there[CHANNELS], distance = 0;
        for (int c = 0; c < CHANNELS; ++c) {
          there[c] = middle[c * side * side + dy * side + dx];
          distance += (there[c] - here[c]) * (there[c] - here[c]);
        }
        const float far = distance * per_colour;
        const float weight = far < 17 ? exp(-far - (float)(dx * dx + dy * dy) * per_place) : 0.0f;
        for (int c = 0; c < CHANNELS; ++c) sums[c] += weight * there[c];
        weights += weight;
      }
    }
    for (int c = 0; c < CHANNELS; ++c)
      out[out_at + (top + y) * out_pitch + (left + x) * CHANNELS + c] = sums[c] / weights;
  }
}
#endif

// As above where the tile is too large for local memory.
kernel void bilateral(global const float* in, ulong in_at, global float* out, ulong out_at, int edge, int edge_down,
                      long width, long height, long in_pitch, long out_pitch, int channels, int radius, int radius_down,
                      float per_place, float per_colour) {
  const long i = get_global_id(0);
  if (i >= width * height) return;
  const long px = i % width, py = i / width;
  in += in_at;
  float here[4], sums[4] = {0, 0, 0, 0}, weights = 0;
  for (int c = 0; c < channels; ++c) here[c] = in[py * in_pitch + px * channels + c];
  for (int y = -radius_down; y <= radius_down; ++y) {
    const long from_y = border_index(edge_down, py + y, height);
    for (int x = -radius; x <= radius; ++x) {
      if (x * x + y * y > radius * radius) continue;
      const long from_x = border_index(edge, px + x, width);
      float there[4], distance = 0;
      for (int c = 0; c < channels; ++c) {
        there[c] = from_x < 0 || from_y < 0 ? 0.0f : in[from_y * in_pitch + from_x * channels + c];
        distance += (there[c] - here[c]) * (there[c] - here[c]);
      }
      const float far = distance * per_colour;
      const float weight = far < 17 ? exp(-far) * exp(-(float)(x * x + y * y) * per_place) : 0.0f;
      for (int c = 0; c < channels; ++c) sums[c] += weight * there[c];
      weights += weight;
    }
  }
  for (int c = 0; c < channels; ++c) out[out_at + py * out_pitch + px * channels + c] = sums[c] / weights;
}

// ---- edges

static inline float length_at(global const float* across, global const float* down, long x, long y, long width,
                              long height) {
  if (x < 0 || y < 0 || x >= width || y >= height) return 0;
  const long i = y * width + x;
  return sqrt(across[i] * across[i] + down[i] * down[i]);
}

kernel void non_maximum_suppression(global const float* across, ulong across_at, global const float* down, ulong down_at,
                       global float* out, ulong out_at, long width, long height) {
  const long i = get_global_id(0);
  if (i >= width * height) return;
  across += across_at;
  down += down_at;
  const long x = i % width, y = i / width;
  const float here = length_at(across, down, x, y, width, height), gx = fabs(across[i]), gy = fabs(down[i]),
              tangent = 0.41421356f;  // of 22.5 degrees
  long dx = 1, dy = 0;
  if (gx <= tangent * gy)
    dx = 0, dy = 1;
  else if (gy > tangent * gx)
    dx = 1, dy = (across[i] < 0) == (down[i] < 0) ? 1 : -1;
  out[out_at + i] = here > length_at(across, down, x - dx, y - dy, width, height) &&
                            here >= length_at(across, down, x + dx, y + dy, width, height)
                        ? here
                        : 0.0f;
}

// Union-find: pixels that may be on an edge form a forest, in which each has a parent of smaller number, or is a root.
// The trees of neighbours are united. A tree that contains a pixel of at least the high threshold is an edge.
#define NO_EDGE (~0u)

kernel void plant(global const float* in, ulong in_at, global uint* parent, ulong parent_at, global uint* strong,
                  ulong strong_at, ulong n, float low) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  parent[parent_at + i] = in[in_at + i] >= low ? (uint)i : NO_EDGE;
  strong[strong_at + i] = 0;
}

// Other items may be uniting trees: this reads a present or former ancestor.
static inline uint root_of(volatile global uint* parent, uint i) {
  for (;;) {
    const uint above = atomic_or(parent + i, 0u);
    if (above == i) return i;
    i = above;
  }
}

static inline void unite(volatile global uint* parent, uint a, uint b) {
  for (;;) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a == b) return;
    const uint larger = max(a, b), smaller = min(a, b);
    const uint before = atomic_min(parent + larger, smaller);
    if (before == larger) return;
    // Another item united this root first: continue with its new parent.
    a = before;
    b = smaller;
  }
}

kernel void unite_neighbours(global uint* parent, ulong parent_at, long width, long height) {
  const long i = get_global_id(0);
  if (i >= width * height) return;
  parent += parent_at;
  if (atomic_or(parent + i, 0u) == NO_EDGE) return;
  const long x = i % width, y = i / width;
  if (x > 0 && atomic_or(parent + i - 1, 0u) != NO_EDGE) unite(parent, (uint)i, (uint)(i - 1));
  if (y == 0) return;
  for (long nx = max(x - 1, 0L); nx <= min(x + 1, width - 1); ++nx) {
    const long n = i - width - x + nx;
    if (atomic_or(parent + n, 0u) != NO_EDGE) unite(parent, (uint)i, (uint)n);
  }
}

kernel void begin_edges(global const float* in, ulong in_at, global uint* parent, ulong parent_at, global uint* strong,
                        ulong strong_at, ulong n, float high) {
  const ulong i = get_global_id(0);
  if (i >= n || !(in[in_at + i] >= high)) return;
  atomic_or((volatile global uint*)strong + strong_at + root_of(parent + parent_at, (uint)i), 1u);
}

kernel void mark_edges(global uint* parent, ulong parent_at, global const uint* strong, ulong strong_at,
                       global float* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  const bool weak = atomic_or((volatile global uint*)parent + parent_at + i, 0u) != NO_EDGE;
  out[out_at + i] = weak && strong[strong_at + root_of(parent + parent_at, (uint)i)] ? 1.0f : 0.0f;
}

// ---- the Gaussian by recursion: one item per piece of a line, begun `reach` elements before its first

#ifdef cl_khr_fp64
// Line by line as on the CPU: filters/filters_recursion.hpp has the sums.
typedef struct {
  double4 x, y;
} waves;
static inline double next(waves* w, double4 take, double4 back, double now) {
  w->x = (double4)(now, w->x.s012);
  const double sum = dot(take, w->x) - dot(back, w->y);
  w->y = (double4)(sum, w->y.s012);
  return sum;
}
// elements_not_finite of filters/filters_recursion.hpp.
typedef struct {
  long window, last, last_nan, last_positive, last_negative;
} met;
static inline double read_finite(met* m, float x, long place) {
  if (isfinite(x)) return (double)x;
  m->last = place + m->window;
  if (isnan(x))
    m->last_nan = m->last;
  else if (x > 0)
    m->last_positive = m->last;
  else
    m->last_negative = m->last;
  return 0.0;
}
static inline float added(const met* m, float result, long place) {
  if (place > m->last) return result;
  if (place <= m->last_nan) return NAN;
  if (place <= m->last_positive) result += INFINITY;
  if (place <= m->last_negative) result -= INFINITY;
  return result;
}
static inline double place_on_line(met* m, global const float* line, int edge, long k, long places, long step,
                                   long place) {
  if (k < 0 || k >= places) k = border_index(edge, k, places);
  return k < 0 ? 0.0 : read_finite(m, line[k * step], place);
}

kernel void recurse(global const float* in, ulong in_at, global float* out, ulong out_at, double4 ahead, double4 behind,
                    double4 back, int edge, long lines, long places, long inner, long in_pitch, long out_pitch,
                    long in_step, long out_step, long reach, long piece, long window) {
  const long i = get_global_id(0), line = i % lines, first = i / lines * piece;
  if (first >= places) return;
  const long last = min(first + piece, places);
  global const float* from = in + in_at + line / inner * in_pitch + line % inner;
  global float* to = out + out_at + line / inner * out_pitch + line % inner;
  waves w = {(double4)(0.0), (double4)(0.0)};
  met before = {window, LONG_MIN, LONG_MIN, LONG_MIN, LONG_MIN}, after = before;
  for (long k = first - reach; k < first; ++k)
    next(&w, ahead, back, place_on_line(&before, from, edge, k, places, in_step, k));
  for (long k = first; k < last; ++k) {
    const double f = next(&w, ahead, back, place_on_line(&before, from, edge, k, places, in_step, k));
    to[k * out_step] = added(&before, (float)f, k);
  }
  w.x = w.y = (double4)(0.0);
  for (long k = last + reach; k > last; --k)
    next(&w, behind, back, place_on_line(&after, from, edge, k, places, in_step, -k));
  for (long k = last; k > first; --k) {
    const double b = next(&w, behind, back, place_on_line(&after, from, edge, k, places, in_step, -k));
    to[(k - 1) * out_step] = added(&after, (float)(to[(k - 1) * out_step] + b), 1 - k);
  }
}
#endif

// ---- resize: sums along one axis, whose elements are `stride` apart; lines of `in` begin in_line elements apart, and
// consecutive results of a line are out_step elements apart

kernel void resize_along(global const float* in, ulong in_at, global const uint* firsts, ulong firsts_at,
                         global const uint* starts, ulong starts_at, global const float* weights, ulong weights_at,
                         global float* out, ulong out_at, long stride, long in_line, long out_step, long to_size,
                         long n) {
  const long i = get_global_id(0);
  if (i >= n) return;
  const long e = i % stride, place = i / stride % to_size, line = i / stride / to_size;
  global const float* from = in + in_at + line * in_line + firsts[firsts_at + place] * stride + e;
  float sum = 0;
  for (uint t = starts[starts_at + place]; t < starts[starts_at + place + 1]; ++t, from += stride)
    sum += weights[weights_at + t] * *from;
  out[out_at + (line * to_size + place) * out_step + e] = sum;
}
