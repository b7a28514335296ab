// The integrators' steps for one body an item. The host defines REAL: float or double.

#ifdef WITH_f64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define REAL4 JOINED(REAL, 4)

kernel void kick_and_drift(global REAL4* x, ulong x_at, global REAL4* v, ulong v_at, global const REAL4* a, ulong a_at, ulong n, REAL kick,
                           REAL drift) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  REAL4 speed = v[v_at + i];
  speed.xyz += kick * a[a_at + i].xyz;
  v[v_at + i] = speed;
  if (drift != 0) {
    REAL4 place = x[x_at + i];
    place.xyz += drift * speed.xyz;
    x[x_at + i] = place;
  }
}

kernel void predict(global const REAL4* x, ulong x_at, global const REAL4* v, ulong v_at, global const REAL4* a, ulong a_at,
                    global const REAL4* jerk, ulong jerk_at, global REAL4* to_x, ulong to_x_at, global REAL4* to_v, ulong to_v_at, ulong n,
                    REAL dt) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  REAL4 place = x[x_at + i], speed = v[v_at + i];
  const REAL4 pull = a[a_at + i], j = jerk[jerk_at + i];
  place.xyz += dt * (speed.xyz + dt / 2 * (pull.xyz + dt / 3 * j.xyz));
  speed.xyz += dt * (pull.xyz + dt / 2 * j.xyz);
  to_x[to_x_at + i] = place;
  to_v[to_v_at + i] = speed;
}

kernel void correct(global REAL4* x, ulong x_at, global REAL4* v, ulong v_at, global REAL4* a, ulong a_at, global REAL4* jerk, ulong jerk_at,
                    global const REAL4* new_a, ulong new_a_at, global const REAL4* new_jerk, ulong new_jerk_at, ulong n, REAL dt) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  REAL4 place = x[x_at + i], speed = v[v_at + i];
  const REAL4 a1 = a[a_at + i], a2 = new_a[new_a_at + i], j1 = jerk[jerk_at + i], j2 = new_jerk[new_jerk_at + i];
  const REAL4 before = speed;
  speed.xyz += dt / 2 * (a1.xyz + a2.xyz) + dt * dt / 12 * (j1.xyz - j2.xyz);
  place.xyz += dt / 2 * (before.xyz + speed.xyz) + dt * dt / 12 * (a1.xyz - a2.xyz);
  x[x_at + i] = place;
  v[v_at + i] = speed;
  a[a_at + i] = a2;
  jerk[jerk_at + i] = j2;
}

// The square of each body's shortest time.
kernel void times(global const REAL4* a, ulong a_at, global const REAL4* jerk, ulong jerk_at, global REAL* to, ulong to_at, ulong n,
                  REAL softening, REAL never, uint jerks) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  const REAL4 pull = a[a_at + i];
  const REAL square = pull.x * pull.x + pull.y * pull.y + pull.z * pull.z;
  REAL shortest = never;
  if (square > 0) {
    const REAL potential = fabs(pull.w);
    if (potential > 0) shortest = fmin(shortest, potential / square);
    if (softening > 0) shortest = fmin(shortest, softening / sqrt(square));
    if (jerks) {
      const REAL4 j = jerk[jerk_at + i];
      const REAL change = j.x * j.x + j.y * j.y + j.z * j.z;
      if (change > 0) shortest = fmin(shortest, square / change);
    }
  }
  to[to_at + i] = shortest;
}

// Rows of four numbers from columns, and back. `wanted` has a bit for each column that is used.
kernel void interleave(global const REAL* x, ulong x_at, global const REAL* y, ulong y_at, global const REAL* z,
                       ulong z_at, global const REAL* w, ulong w_at, global REAL4* rows, ulong rows_at, ulong n,
                       uint wanted) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  REAL4 row = rows[rows_at + i];
  if (wanted & 1) row.x = x[x_at + i];
  if (wanted & 2) row.y = y[y_at + i];
  if (wanted & 4) row.z = z[z_at + i];
  if (wanted & 8) row.w = w[w_at + i];
  rows[rows_at + i] = row;
}

kernel void deinterleave(global REAL* x, ulong x_at, global REAL* y, ulong y_at, global REAL* z, ulong z_at,
                         global REAL* w, ulong w_at, global const REAL4* rows, ulong rows_at, ulong n, uint wanted) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  const REAL4 row = rows[rows_at + i];
  if (wanted & 1) x[x_at + i] = row.x;
  if (wanted & 2) y[y_at + i] = row.y;
  if (wanted & 4) z[z_at + i] = row.z;
  if (wanted & 8) w[w_at + i] = row.w;
}

kernel void add_up(global const REAL4* rows, ulong rows_at, global REAL4* to, ulong to_at, ulong n, ulong stacks) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  REAL4 sum = 0;
  for (ulong s = 0; s < stacks; ++s) sum += rows[rows_at + s * n + i];
  to[to_at + i] = sum;
}
