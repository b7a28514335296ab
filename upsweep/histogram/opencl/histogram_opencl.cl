// Histograms in OpenCL C, after opencl/work_group_sums.cl. Bins are those of histogram/histogram_bins.hpp, weights those of
// histogram/histogram_weights.hpp, with the same bits. The host defines the type of samples: SAMPLE with DISTANCE (uint
// or ulong) for integers, REAL (float or double) for floats; also HALF for f16, which are read as their bits; EDGES for
// custom bins, CLOSED where the last holds its upper edge; WEIGHTS for weights, with WEIGHT (uint or ulong) for their
// bits, and WIDE_WEIGHTS where they are f64; EXPONENTS for the first pass over weights.
//
// Counters have 32 bits; the host cuts more than 2^32 samples into slices. A weight's 128-bit integer is added to four
// such counters, with carries, so that no device needs 64-bit atomics. Counters in global memory must be zero at the
// start.
//
// ONE_LAUNCH: after opencl/warp.cl, the last group writes the results of all groups, and resets the counters to zero.

#ifdef WITH_f64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#define NO_BIN 0xffffffffu
#ifndef WEIGHT
#define WEIGHT uint
#endif

#ifdef HALF
typedef float VALUE;
#define READ(p, i) vload_half(i, (global const half*)(p))
#else
typedef SAMPLE VALUE;
#define READ(p, i) ((p)[i])
#endif

// Numbers that the host passes in 64 bits.
typedef struct {
  ulong lower, upper, width, scale;  // integers: `upper` is upper - 1 - lower
  uint shift, m, exact;
} even_bins;

#ifdef REAL
static inline REAL real_of(ulong bits) {
#ifdef WITH_f64
  return as_double(bits);
#else
  return as_float((uint)bits);
#endif
}
#endif

static inline uint even_bin(even_bins b, VALUE x) {
#ifdef REAL
  if (!(real_of(b.lower) <= x && x < real_of(b.upper))) return NO_BIN;
  const REAL at = (x - real_of(b.lower)) * real_of(b.scale);
  return at < (REAL)b.m ? (uint)at : b.m - 1;
#else
  const DISTANCE far = (DISTANCE)x - (DISTANCE)b.lower;
  if (far > (DISTANCE)b.upper) return NO_BIN;
  const ulong d = (ulong)far >> b.shift;
  ulong bin = d * b.scale >> (sizeof(DISTANCE) == 8 ? 39 : 32);
  if (!b.exact && d * b.m - bin * b.width >= b.width) ++bin;
  return (uint)bin;
#endif
}

#ifdef EDGES
// Few edges are kept in local memory.
#if LOCAL_EDGES
#define EDGE_SPACE local
#else
#define EDGE_SPACE global
#endif
#ifdef HALF
#define EDGE(i) vload_half(i, (EDGE_SPACE const half*)edges)
#else
#define EDGE(i) edges[i]
#endif
static inline uint custom_bin(EDGE_SPACE const SAMPLE* edges, uint m, VALUE x) {
#ifdef CLOSED
  if (!(EDGE(0) <= x && x <= EDGE(m))) return NO_BIN;
#else
  if (!(EDGE(0) <= x && x < EDGE(m))) return NO_BIN;
#endif
  uint low = 0, high = m;
  while (high - low > 1) {
    const uint middle = (low + high) / 2;
    if (EDGE(middle) <= x) low = middle; else high = middle;
  }
  return low;
}
#endif

// --- weights ---

#ifdef WEIGHTS

#define NOT_FINITE 2047u

// As weight_parts: exponent, sign, fraction.
typedef struct {
  uint exponent, negative;
  ulong fraction;
} weight_parts;

static inline weight_parts parts_of(WEIGHT all) {
  weight_parts w;
#ifdef WIDE_WEIGHTS
  const ulong fraction = all & ((1ul << 52) - 1);
  const uint field = (uint)(all >> 52) & 2047;
  w.negative = (uint)(all >> 63);
  w.exponent = field ? field : 1;
  w.fraction = field && field != NOT_FINITE ? fraction | 1ul << 52 : fraction;
#else
  const uint fraction = all & 0x7fffffu, field = all >> 23 & 255;
  w.negative = all >> 31;
  w.exponent = field == 255 ? NOT_FINITE : (field ? field : 1) + 896;
  w.fraction = (ulong)(field && field != 255 ? fraction | 0x800000u : fraction) << 29;
#endif
  return w;
}

// 128 bits: `low` in x, `high` in y.
static inline int unit_of(uint exponent, int bits_of_n) {
  return max((int)(exponent ? exponent : 1) - 1022 + bits_of_n - 126, -1074);
}

static inline ulong2 negated(ulong2 a) { return (ulong2)(0ul - a.x, 0ul - a.y - (a.x != 0 ? 1ul : 0ul)); }
static inline ulong2 plus(ulong2 a, ulong2 b) {
  const ulong low = a.x + b.x;
  return (ulong2)(low, a.y + b.y + (low < a.x ? 1ul : 0ul));
}

// The integer that a weight adds, modulo 2^128.
static inline ulong2 fixed_of(weight_parts w, uint exponent, int bits_of_n) {
  if (exponent == NOT_FINITE) {
    if (w.exponent != NOT_FINITE) return (ulong2)(0, 0);
    return (ulong2)(w.fraction || !w.negative ? 1ul : 0ul, w.fraction || w.negative ? 1ul : 0ul);
  }
  const int shift = (int)w.exponent - 1075 - unit_of(exponent, bits_of_n);
  ulong2 x = (ulong2)(0, 0);
  if (shift >= 64) x.y = w.fraction << (shift - 64);
  else if (shift > 0) x = (ulong2)(w.fraction << shift, w.fraction >> (64 - shift));
  else if (shift == 0) x.x = w.fraction;
  else if (shift >= -53) x.x = (w.fraction + (1ul << (-shift - 1))) >> -shift;
  return w.negative ? negated(x) : x;
}

static inline uint bit_of(ulong2 m, int i) { return (uint)((i > 63 ? m.y >> (i - 64) : m.x >> i) & 1); }

// The f64 nearest to the integer times the unit, as its bits; ties to even.
static inline ulong sum_of(ulong2 sum, uint exponent, int bits_of_n) {
  const ulong infinity = 2047ul << 52;
  if (exponent == NOT_FINITE) return sum.x == 0 ? infinity | 1ul << 63 : sum.y == 0 ? infinity : infinity | 1ul << 51;
  const ulong sign = sum.y >> 63 << 63;
  const ulong2 m = sign ? negated(sum) : sum;
  if ((m.x | m.y) == 0) return 0;
  int lead = m.y ? 127 - (int)clz(m.y) : 63 - (int)clz(m.x);
  const int u = unit_of(exponent, bits_of_n);
  ulong fraction;
  if (lead <= 52) {
    if (lead + u + 1023 <= 0) return sign | m.x << (u + 1074);  // subnormal, exact
    fraction = m.x << (52 - lead);
  } else {
    const int lost = lead - 52;  // from 1 to 75
    const bool more = lost > 65 ? m.x != 0 || (m.y & ((1ul << (lost - 65)) - 1)) != 0 : lost > 1 && m.x << (65 - lost) != 0;
    fraction = lost > 64 ? m.y >> (lost - 64) : lost == 64 ? m.y : m.y << (64 - lost) | m.x >> lost;
    if (bit_of(m, lost - 1) && (more || (fraction & 1))) ++fraction;
    if (fraction >> 53) {
      fraction >>= 1;
      ++lead;
    }
  }
  const int field = lead + u + 1023;
  return field >= 2047 ? sign | infinity : sign | (ulong)field << 52 | (fraction & ((1ul << 52) - 1));
}

// A 128-bit integer in four counters `bins` apart. An item that sees one wrap adds the carry to the next.
#define ADD_WIDE(counters, bins, b, value) { \
    const ulong2 wide = value; \
    const uint parts[4] = {(uint)wide.x, (uint)(wide.x >> 32), (uint)wide.y, (uint)(wide.y >> 32)}; \
    uint carry = 0; \
    for (uint k = 0; k < 4; ++k) { \
      const ulong whole = (ulong)parts[k] + carry; \
      const uint part = (uint)whole; \
      carry = (uint)(whole >> 32); \
      if (part) { \
        const uint old = atomic_add((counters) + k * (bins) + (b), part); \
        if (old + part < old) ++carry; \
      } \
    } \
  }

#endif

// --- counting ---

#if defined(WEIGHTS) && !defined(EXPONENTS)
typedef ulong2 HELD;
#define NOTHING (ulong2)(0, 0)
#define IS_SOME(held) ((held).x | (held).y)
#define ADD(counters, bins, b, held) ADD_WIDE(counters, bins, b, held)
#elif defined(EXPONENTS)
// The largest exponent of the weights of each counter.
typedef uint HELD;
#define NOTHING 0
#define IS_SOME(held) (held)
#define ADD(counters, bins, b, held) atomic_max((counters) + (b), held);
#else
typedef uint HELD;
#define NOTHING 0
#define IS_SOME(held) (held)
#define ADD(counters, bins, b, held) atomic_add((counters) + (b), held);
#endif

// Samples [first, last) of the slice, one contiguous chunk per group. `bins`: of all channels together. Each counter
// has `columns` copies in local memory, a power of two, and an item uses one of them, so that few items conflict; 0:
// they do not fit, and all items count in global memory.
GROUP void count_samples(global const SAMPLE* in, ulong in_at, global const WEIGHT* weights, ulong weights_at, global const SAMPLE* edges, ulong edges_at,
                         global const uint* exponents, ulong exponents_at, global uint* counters, ulong counters_at, local uint* ours, uint columns,
                         ulong slice, ulong slice_end, ulong each, uint channels, uint bins, int bits_of_n, ulong lower, ulong upper, ulong width,
                         ulong scale, uint shift, uint m, uint exact
#if ONE_LAUNCH
                         , global ulong* out, ulong out_at, uint more, global uint* arrived, ulong arrived_at
#endif
                         ) {
  const even_bins even = {lower, upper, width, scale, shift, m, exact};
  const uint l = (uint)get_local_id(0), words = sizeof(HELD) / 4 * bins * columns;
  const ulong first = slice + get_group_id(0) * each, last = min(first + each, slice_end);
  in += in_at;
  weights += weights_at;
  edges += edges_at;
  counters += counters_at;
  exponents += exponents_at;
  for (uint i = l; i < words; i += LANES) ours[i] = 0;
#if LOCAL_EDGES
  local SAMPLE near_edges[LOCAL_EDGES];
  for (uint i = l; i <= m; i += LANES) near_edges[i] = edges[i];
#endif
  barrier(CLK_LOCAL_MEM_FENCE);  // orders the clearing of counters and the copy of edges before samples are counted
  local uint* mine = ours + (columns ? l & (columns - 1) : 0);

  // An item adds runs of equal bins at once, so that constant samples are not serialised at one counter.
  uint at = NO_BIN, channel = (uint)((first + l) % channels);
  const uint step = LANES % channels;
  HELD held = NOTHING;
  for (ulong base = first + l; base < last; base += ROWS * LANES) {
    VALUE x[ROWS];
    if (base + (ROWS - 1) * LANES < last) {
#pragma unroll
      for (uint r = 0; r < ROWS; ++r) x[r] = READ(in, base + r * LANES);
    } else {
      for (uint r = 0; r < ROWS; ++r) x[r] = READ(in, base + r * LANES < last ? base + r * LANES : base);
    }
#pragma unroll
    for (uint r = 0; r < ROWS; ++r) {
      if (base + r * LANES < last) {
#if LOCAL_EDGES
        uint bin = custom_bin(near_edges, m, x[r]);
#elif defined(EDGES)
        uint bin = custom_bin(edges, m, x[r]);
#else
        uint bin = even_bin(even, x[r]);
#endif
        if (bin != NO_BIN) {
          bin += channel * m;
          if (bin != at) {
            if (IS_SOME(held) && columns) ADD(mine, bins * columns, at * columns, held)
            if (IS_SOME(held) && !columns) ADD(counters, bins, at, held)
            at = bin;
            held = NOTHING;
          }
#ifdef EXPONENTS
          held = max(held, parts_of(weights[base + r * LANES]).exponent);
#elif defined(WEIGHTS)
          held = plus(held, fixed_of(parts_of(weights[base + r * LANES]), exponents[bin], bits_of_n));
#else
          ++held;
#endif
        }
      }
      channel += step;
      if (channel >= channels) channel -= channels;
    }
  }
  if (IS_SOME(held) && columns) ADD(mine, bins * columns, at * columns, held)
  if (IS_SOME(held) && !columns) ADD(counters, bins, at, held)
  barrier(CLK_LOCAL_MEM_FENCE);  // orders the group's increments before counters are added up
  if (columns)
    for (uint i = l; i < bins; i += LANES) {
      HELD sum = NOTHING;
      for (uint c = 0; c < columns; ++c) {
        const uint column = (c + i) & (columns - 1);
#ifdef EXPONENTS
        sum = max(sum, ours[i * columns + column]);
#elif defined(WEIGHTS)
        local const uint* word = ours + i * columns + column;
        const uint apart = bins * columns;
        sum = plus(sum, (ulong2)(word[0] | (ulong)word[apart] << 32, word[2 * apart] | (ulong)word[3 * apart] << 32));
#else
        sum += ours[i * columns + column];
#endif
      }
      if (IS_SOME(sum)) ADD(counters, bins, i, sum)
    }
#if ONE_LAUNCH
  local uint last_group;
  arrived += arrived_at;
  out += out_at;
  device_fence();                // orders this item's sums before the group's arrival
  barrier(CLK_LOCAL_MEM_FENCE);  // orders all items' sums before the arrival
  if (l == 0) last_group = atomic_inc(arrived) == get_num_groups(0) - 1;
  barrier(CLK_LOCAL_MEM_FENCE);  // makes visible to all whether this is the last group
  if (!last_group) return;
  device_fence();  // orders reads of other groups' sums after their arrivals
  for (uint i = l; i < bins; i += LANES) {
    const uint sum = ((volatile global uint*)counters)[i];
    counters[i] = 0;
    out[i] = (more ? out[i] : 0) + sum;
  }
  if (l == 0) *arrived = 0;
#endif
}

// The counts so far, or the sums of weights, where the caller wants them.
kernel void give_counts(global const uint* counters, ulong counters_at, global const uint* exponents, ulong exponents_at, global ulong* out, ulong out_at,
                        uint bins, uint more, int bits_of_n) {
  const uint i = (uint)get_global_id(0);
  if (i >= bins) return;
  counters += counters_at;
  out += out_at;
#ifdef WEIGHTS
  const ulong2 sum = (ulong2)(counters[i] | (ulong)counters[bins + i] << 32, counters[2 * bins + i] | (ulong)counters[3 * bins + i] << 32);
  out[i] = sum_of(sum, exponents[exponents_at + i], bits_of_n);
#else
  out[i] = (more ? out[i] : 0) + counters[i];
#endif
}
