// All pairs for a CPU, compiled after nbody_vectors.cl: a vector of bodies per work-item, because the compiler of a CPU
// does not vectorize nbody_opencl.cl. POTENTIALS is defined if requested. The bodies are [own_first, own_first +
// own_count).

#define TILE 256  // masses whose sum is made before it is added to all

kernel void all_pairs_by_vectors(global const REAL4* in, ulong in_at, global REAL4* out, ulong out_at, ulong n, ulong own_first,
                                 ulong own_count, REAL softening, REAL gravity) {
  const ulong first = get_global_id(0) * WIDTH;
  if (first >= own_count) return;
  in += in_at;
  REAL cells[4][WIDTH];
  for (uint k = 0; k < WIDTH; ++k) {
    const REAL4 body = in[own_first + min(first + k, own_count - 1)];
    cells[0][k] = body.x;
    cells[1][k] = body.y;
    cells[2][k] = body.z;
  }
  const REALV x = LOADV(0, cells[0]), y = LOADV(0, cells[1]), z = LOADV(0, cells[2]);
  const LANEV lane = lane_numbers();
  REALV ax = 0, ay = 0, az = 0, phi = 0;
  for (ulong begin = 0; begin < n; begin += TILE) {
    REALV part_x = 0, part_y = 0, part_z = 0, part_phi = 0;
    for (ulong j = begin; j < min(begin + TILE, n); ++j) {
      const REAL4 there = in[j];
      const LANE own = j - own_first - first < WIDTH ? (LANE)(j - own_first - first) : -1;
      pull_on(x, y, z, there, lane == own, softening, &part_x, &part_y, &part_z, &part_phi);
    }
    ax += part_x;
    ay += part_y;
    az += part_z;
    phi += part_phi;
  }
  STOREV(gravity * ax, 0, cells[0]);
  STOREV(gravity * ay, 0, cells[1]);
  STOREV(gravity * az, 0, cells[2]);
#ifdef POTENTIALS
  STOREV(gravity * phi, 0, cells[3]);
#else
  STOREV((REALV)0, 0, cells[3]);
#endif
  for (uint k = 0; k < WIDTH && first + k < own_count; ++k) out[out_at + first + k] = (REAL4)(cells[0][k], cells[1][k], cells[2][k], cells[3][k]);
}
