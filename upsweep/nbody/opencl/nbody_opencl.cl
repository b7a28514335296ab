// All pairs in OpenCL C. The host defines REAL (float or double), LANES (items a work-group), BODIES (an item), LEAST
// and LARGEST (squares of distances between which pairs act), and on request POTENTIALS, JERKS, COMPENSATED.

#ifdef WITH_f64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef COMPENSATED
#pragma OPENCL FP_CONTRACT OFF
#endif
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define REAL4 JOINED(REAL, 4)

#ifdef COMPENSATED
// Neumaier's sum: `lost` accumulates the rounding errors of the additions.
void add(REAL4* sum, REAL4* lost, REAL4 x) {
  const REAL4 all = *sum + x, added = all - *sum;
  *lost += (*sum - (all - added)) + (x - added);
  *sum = all;
}
#endif

// The acceleration and the potential of a body at `here` by the mass at `there`.
REAL4 pull_of(REAL4 there, REAL4 here, bool own, REAL softening) {
  const REAL x = there.x - here.x, y = there.y - here.y, z = there.z - here.z, q = x * x + y * y + z * z + softening;
  const REAL mass = own || q < LEAST || q > LARGEST ? 0 : there.w;
  const REAL u = rsqrt(clamp(q, (REAL)LEAST, (REAL)LARGEST)), near = mass * u, pull = near * u;
  return (REAL4)(pull * (u * x), pull * (u * y), pull * (u * z), -near);
}

// Each item has BODIES bodies, LANES apart; the group shares a tile of masses, whose sum is made before it is added to
// all. The bodies are [own_first, own_first + own_count).
kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void all_pairs(global const REAL4* in, ulong in_at, global const REAL4* moving,
                                                                         ulong moving_at, global REAL4* out, ulong out_at,
                                                                         global REAL4* jerks, ulong jerks_at, ulong n, ulong own_first, ulong own_count,
                                                                         REAL softening,
                                                                         REAL gravity) {
  local REAL4 tile[LANES];
#ifdef JERKS
  local REAL4 speeds[LANES];
#endif
  const uint item = get_local_id(0);
  const ulong first = get_group_id(0) * (LANES * BODIES) + item;
  REAL4 here[BODIES], sum[BODIES];
#ifdef COMPENSATED
  REAL4 lost[BODIES];
#endif
#ifdef JERKS
  REAL4 speed[BODIES], jerk[BODIES];
#endif
  for (uint k = 0; k < BODIES; ++k) {
    const ulong i = own_first + min(first + k * LANES, own_count - 1);
    here[k] = in[in_at + i];
    sum[k] = 0;
#ifdef COMPENSATED
    lost[k] = 0;
#endif
#ifdef JERKS
    speed[k] = moving[moving_at + i];
    jerk[k] = 0;
#endif
  }
  for (ulong begin = 0; begin < n; begin += LANES) {
    tile[item] = begin + item < n ? in[in_at + begin + item] : (REAL4)(0, 0, 0, 0);
#ifdef JERKS
    speeds[item] = begin + item < n ? moving[moving_at + begin + item] : (REAL4)(0, 0, 0, 0);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);  // others have loaded their masses
    const uint count = (uint)min((ulong)LANES, n - begin);
    for (uint k = 0; k < BODIES; ++k) {
      const ulong own = own_first + first + k * LANES - begin;
#ifdef COMPENSATED
      for (uint j = 0; j < count; ++j) add(&sum[k], &lost[k], pull_of(tile[j], here[k], j == own, softening));
#else
      REAL4 part = 0;
      for (uint j = 0; j < count; ++j) part += pull_of(tile[j], here[k], j == own, softening);
      sum[k] += part;
#endif
#ifdef JERKS
      REAL4 change = 0;
      for (uint j = 0; j < count; ++j) {
        const REAL4 d = tile[j] - here[k], v = speeds[j] - speed[k];
        const REAL q = d.x * d.x + d.y * d.y + d.z * d.z + softening;
        const REAL mass = j == own || q < LEAST || q > LARGEST ? 0 : tile[j].w;
        const REAL u = rsqrt(clamp(q, (REAL)LEAST, (REAL)LARGEST)), pull = mass * u * u * u;
        const REAL rate = 3 * (u * d.x * v.x + u * d.y * v.y + u * d.z * v.z);
        change += pull * (v - rate * (u * d));
      }
      jerk[k] += change;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // others have read this item's mass
  }
  for (uint k = 0; k < BODIES; ++k) {
    const ulong i = first + k * LANES;
    if (i >= own_count) break;
#ifdef COMPENSATED
    sum[k] += lost[k];
#endif
    REAL4 all = gravity * sum[k];
#ifndef POTENTIALS
    all.w = 0;
#endif
    out[out_at + i] = all;
#ifdef JERKS
    REAL4 change = gravity * jerk[k];
    change.w = 0;
    jerks[jerks_at + i] = change;
#endif
  }
}
