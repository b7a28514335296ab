// Histograms in OpenCL C, after opencl/group_sums.cl. Bins are those of histogram/bins.hpp, weights those of
// histogram/weights.hpp, in every bit. The host defines what samples are: SAMPLE with DISTANCE (uint or ulong) for
// integers, REAL (float or double) for floats; HALF besides for f16, which are read as their bits; EDGES for custom
// bins; WEIGHTS.
//
// Counters are of 32 bits; the host cuts more than 2^32 samples into slices. A weight's 64-bit integer is added to two
// such counters, with the carry handed on, so that no device needs 64-bit atomics. Counters in global memory begin as
// zeros.
//
// ONE_LAUNCH: after opencl/warp.cl, the last group hands out what all have counted, and leaves zeros.

#ifdef WITH_f64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#define NO_BIN 0xffffffffu

#ifdef HALF
typedef float VALUE;
#define READ(p, i) vload_half(i, (global const half*)(p))
#else
typedef SAMPLE VALUE;
#define READ(p, i) ((p)[i])
#endif

// Numbers as the host has them in 64 bits.
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
// Where they are few the edges lie in local memory.
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
  if (!(EDGE(0) <= x && x < EDGE(m))) return NO_BIN;
  uint low = 0, high = m;
  while (high - low > 1) {
    const uint middle = (low + high) / 2;
    if (EDGE(middle) <= x) low = middle; else high = middle;
  }
  return low;
}
#endif

// --- weights ---

typedef struct {
  int exponent;
  bool finite;
} weight_scale;

static inline weight_scale scale_of(uint largest, int bits_of_n) {
  const int field = (int)(largest >> 23);
  const weight_scale s = {62 - ((field > 0 ? field : 1) - 126) - bits_of_n, largest < 0x7f800000u};
  return s;
}

static inline ulong fixed_point(weight_scale s, uint all) {
  const uint field = all >> 23 & 255;
  const ulong fraction = field > 0 ? (all & 0x7fffffu) | 0x800000u : all & 0x7fffffu;
  const int shift = (int)(field > 0 ? field : 1) - 150 + s.exponent;
  ulong magnitude = 0;
  if (shift >= 0)
    magnitude = fraction << (shift & 63);
  else if (shift > -32)
    magnitude = (fraction + (1ul << (-shift - 1))) >> -shift;
  return all >> 31 ? 0ul - magnitude : magnitude;
}

// The f64 nearest to sum · 2^-e, as its bits; ties to even. It is never subnormal.
static inline ulong double_of(ulong sum, int e) {
  if (sum == 0) return 0;
  const ulong sign = sum >> 63, magnitude = (sum ^ (0ul - sign)) + sign;
  int lead = 63 - (int)clz(magnitude);
  ulong fraction;
  if (lead > 52) {
    const int lost = lead - 52;
    const ulong rest = magnitude & ((1ul << lost) - 1), tie = 1ul << (lost - 1);
    fraction = magnitude >> lost;
    if (rest > tie || (rest == tie && (fraction & 1))) ++fraction;
    if (fraction >> 53) {
      fraction >>= 1;
      ++lead;
    }
  } else {
    fraction = magnitude << (52 - lead);
  }
  return sign << 63 | (ulong)(lead - e + 1023) << 52 | (fraction & ((1ul << 52) - 1));
}

// `largest` begins as zero.
GROUP void largest_weight(global const uint* weights, ulong weights_at, global uint* largest, ulong largest_at, ulong n, ulong each) {
  local uint most;
  if (get_local_id(0) == 0) most = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  // zero, before anyone raises it
  const ulong first = get_group_id(0) * each, last = min(first + each, n);
  uint mine = 0;
  for (ulong i = first + get_local_id(0); i < last; i += LANES) mine = max(mine, weights[weights_at + i] & 0x7fffffffu);
  atomic_max(&most, mine);
  barrier(CLK_LOCAL_MEM_FENCE);  // all have raised it
  if (get_local_id(0) == 0) atomic_max(largest + largest_at, most);
}

// --- counting ---

#ifdef WEIGHTS
typedef ulong HELD;
#define ADD(counters, bins, b, held) { \
    const uint low = (uint)(held), old = atomic_add((counters) + (b), low), high = (uint)((held) >> 32) + (old + low < old); \
    if (high) atomic_add((counters) + (bins) + (b), high); \
  }
#else
typedef uint HELD;
#define ADD(counters, bins, b, held) atomic_add((counters) + (b), held);
#endif

#ifdef WEIGHTS
static inline ulong handed_out(weight_scale s, uint low, uint high) {
  return s.finite ? double_of(low | (ulong)high << 32, s.exponent) : 0x7ff8000000000000ul;
}
#endif

// Samples [first, last) of the slice, a contiguous chunk a group. `bins`: of all channels together. Each counter has
// `columns` in local memory, a power of two, and an item its own, so that few items meet at one; 0: there is no room,
// and all count in global memory.
GROUP void count_samples(global const SAMPLE* in, ulong in_at, global const uint* weights, ulong weights_at, global const SAMPLE* edges, ulong edges_at,
                         global const uint* largest, ulong largest_at, global uint* counters, ulong counters_at, local uint* ours, uint columns,
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
#ifdef WEIGHTS
  const weight_scale fixed = scale_of(largest[largest_at], bits_of_n);
#endif
  for (uint i = l; i < words; i += LANES) ours[i] = 0;
#if LOCAL_EDGES
  local SAMPLE near_edges[LOCAL_EDGES];
  for (uint i = l; i <= m; i += LANES) near_edges[i] = edges[i];
#endif
  barrier(CLK_LOCAL_MEM_FENCE);  // zeros, and edges, before anyone counts
  local uint* mine = ours + (columns ? l & (columns - 1) : 0);

  // An item counts equal bins in a row at once, so that constant samples do not queue at one counter.
  uint at = NO_BIN, channel = (uint)((first + l) % channels);
  const uint step = LANES % channels;
  HELD held = 0;
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
            if (held && columns) ADD(mine, bins * columns, at * columns, held)
            if (held && !columns) ADD(counters, bins, at, held)
            at = bin;
            held = 0;
          }
#ifdef WEIGHTS
          held += fixed_point(fixed, weights[base + r * LANES]);
#else
          ++held;
#endif
        }
      }
      channel += step;
      if (channel >= channels) channel -= channels;
    }
  }
  if (held && columns) ADD(mine, bins * columns, at * columns, held)
  if (held && !columns) ADD(counters, bins, at, held)
  barrier(CLK_LOCAL_MEM_FENCE);  // all of the group's samples are counted
  if (columns)
    for (uint i = l; i < bins; i += LANES) {
      HELD sum = 0;
      for (uint c = 0; c < columns; ++c) {
        const uint column = (c + i) & (columns - 1);
        sum += ours[i * columns + column];
#ifdef WEIGHTS
        sum += (ulong)ours[(bins + i) * columns + column] << 32;
#endif
      }
      if (sum) ADD(counters, bins, i, sum)
    }
#if ONE_LAUNCH
  local uint last_group;
  arrived += arrived_at;
  out += out_at;
  device_fence();                // this item's sums come before the group's arrival
  barrier(CLK_LOCAL_MEM_FENCE);  // and so do all items'
  if (l == 0) last_group = atomic_inc(arrived) == get_num_groups(0) - 1;
  barrier(CLK_LOCAL_MEM_FENCE);  // all know whether theirs is the last group
  if (!last_group) return;
  device_fence();  // the other groups' sums come after their arrival
  for (uint i = l; i < bins; i += LANES) {
    const uint sum = ((volatile global uint*)counters)[i];
    counters[i] = 0;
#ifdef WEIGHTS
    out[i] = handed_out(fixed, sum, ((volatile global uint*)counters)[bins + i]);
    counters[bins + i] = 0;
#else
    out[i] = (more ? out[i] : 0) + sum;
#endif
  }
  if (l == 0) *arrived = 0;
#endif
}

// The counts so far, or the sums of weights, where the caller wants them.
kernel void give_counts(global const uint* counters, ulong counters_at, global const uint* largest, ulong largest_at, global ulong* out, ulong out_at,
                        uint bins, uint more, int bits_of_n) {
  const uint i = (uint)get_global_id(0);
  if (i >= bins) return;
  counters += counters_at;
  out += out_at;
#ifdef WEIGHTS
  out[i] = handed_out(scale_of(largest[largest_at], bits_of_n), counters[i], counters[bins + i]);
#else
  out[i] = (more ? out[i] : 0) + counters[i];
#endif
}
