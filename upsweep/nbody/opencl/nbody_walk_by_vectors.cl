// The walk of Barnes and Hut's tree for a CPU, whose compilers do not vectorize the items of a work-group. An item
// walks for GROUP bodies alone, and vectors of WIDTH of them meet the masses that it lists. Cells, moments and openings
// are those of nbody_opencl_tree.cl. The file is compiled after nbody_vectors.cl; the host defines GROUP, too.

#define MASSES 512  // that a group lists before their forces are added
#define CELLS 256
#define WAITING 512  // 64 levels leave 7 each, and 8 of the last

// A coordinate a row, a body of the group a column.
typedef struct {
  REAL x[GROUP], y[GROUP], z[GROUP], ax[GROUP], ay[GROUP], az[GROUP], phi[GROUP];
} group_of_bodies;

// own: the list is the group itself, and mass j is body j.
void meet_masses(group_of_bodies* to, const REAL4* masses, uint count, bool own, REAL softening) {
  const LANEV lane = lane_numbers();
  for (uint v = 0; v < GROUP / WIDTH; ++v) {
    const REALV x = LOADV(v, to->x), y = LOADV(v, to->y), z = LOADV(v, to->z);
    REALV ax = 0, ay = 0, az = 0, phi = 0;
    for (uint j = 0; j < count; ++j) {
      const LANE mine = own ? (LANE)j - (LANE)(v * WIDTH) : -1;
      pull_on(x, y, z, masses[j], lane == mine, softening, &ax, &ay, &az, &phi);
    }
    STOREV(LOADV(v, to->ax) + ax, v, to->ax);
    STOREV(LOADV(v, to->ay) + ay, v, to->ay);
    STOREV(LOADV(v, to->az) + az, v, to->az);
    STOREV(LOADV(v, to->phi) + phi, v, to->phi);
  }
}

// nbody_opencl_tree.cl's pull_of_cell.
void meet_cells(group_of_bodies* to, const REAL4* centres, const REAL8* moments, uint count, REAL softening) {
  for (uint v = 0; v < GROUP / WIDTH; ++v) {
    const REALV x = LOADV(v, to->x), y = LOADV(v, to->y), z = LOADV(v, to->z);
    REALV ax = 0, ay = 0, az = 0, phi = 0;
    for (uint j = 0; j < count; ++j) {
      const REAL4 centre = centres[j];
      const REAL8 m = moments[j];
      const REALV dx = centre.x - x, dy = centre.y - y, dz = centre.z - z, q = dx * dx + dy * dy + dz * dz + softening;
      const LANEV nothing = (q < (REAL)LEAST) | (q > (REAL)LARGEST);
      // Too near or too far, and all that follows is multiplied by 0.
      const REALV u = select(1 / sqrt(clamp(q, (REALV)LEAST, (REALV)LARGEST)), (REALV)0, nothing), u2 = u * u;
      const REALV ex = dx * u, ey = dy * u, ez = dz * u;
      const REALV px = m.s1 * ex + m.s2 * ey + m.s3 * ez, py = m.s2 * ex + m.s4 * ey + m.s5 * ez,
                  pz = m.s3 * ex + m.s5 * ey + m.s6 * ez;
      const REALV along = px * ex + py * ey + pz * ez;
      const REAL trace = m.s1 + m.s4 + m.s6;
      const REALV pull = (m.s0 + ((REAL)7.5 * along - (REAL)1.5 * trace) * u2) * u2, turn = -3 * u2 * u2;
      ax += pull * ex + turn * px;
      ay += pull * ey + turn * py;
      az += pull * ez + turn * pz;
      phi -= u * (m.s0 + ((REAL)1.5 * along - (REAL)0.5 * trace) * u2);
    }
    STOREV(LOADV(v, to->ax) + ax, v, to->ax);
    STOREV(LOADV(v, to->ay) + ay, v, to->ay);
    STOREV(LOADV(v, to->az) + az, v, to->az);
    STOREV(LOADV(v, to->phi) + phi, v, to->phi);
  }
}

// Walks for the groups from body share_first on. Sums are written in the bodies' original order, or in the order of the
// tree from share_first on.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void walk_by_vectors(
    global const REAL4* bodies, ulong bodies_at, global const uint* order, ulong order_at, global const uint4* cells, ulong cells_at,
    global const REAL4* centres, ulong centres_at, global const REAL8* moments, ulong moments_at, global REAL* sizes, ulong sizes_at,
    global REAL4* out, ulong out_at, ulong n, REAL softening, REAL gravity, REAL criterion, uint quadrupoles, uint potentials, uint relative,
    uint measures, ulong share_first, uint in_tree_order) {
  uint waiting[WAITING];
  REAL4 masses[MASSES], listed_centres[CELLS];
  REAL8 listed_moments[CELLS];
  group_of_bodies to;
  const ulong group_first = share_first + get_group_id(0) * GROUP, group_end = min(group_first + GROUP, n);
  const uint count = (uint)(group_end - group_first);
  bodies += bodies_at;
  cells += cells_at;
  centres += centres_at;
  moments += moments_at;

  // The box of the group, and the least acceleration in it. In a short group the last body fills the missing places.
  REAL4 lower = bodies[group_first], upper = lower;
  REAL least_size = relative ? sizes[sizes_at + group_first] : 0;
  for (uint k = 0; k < GROUP; ++k) {
    const ulong i = min(group_first + k, n - 1);
    const REAL4 body = bodies[i];
    if (k < count) masses[k] = body;
    lower = fmin(lower, body);
    upper = fmax(upper, body);
    if (relative) least_size = fmin(least_size, sizes[sizes_at + i]);
    to.x[k] = body.x;
    to.y[k] = body.y;
    to.z[k] = body.z;
    to.ax[k] = to.ay[k] = to.az[k] = to.phi[k] = 0;
  }
  const REAL4 middle = lower / 2 + upper / 2, half_wide = fmax(upper - middle, middle - lower);
  meet_masses(&to, masses, count, true, softening);

  uint depth = 0, mass_count = 0, cell_count = 0;
  waiting[depth++] = 0;
  while (depth > 0) {
    const uint c = waiting[--depth];
    const uint4 cell = cells[c];
    REAL4 centre = centres[c];
    bool take = cell.y <= group_first || cell.x >= group_end;
    if (take && centre.w > 0) {
      const REAL4 off = fmax(fabs(centre - middle) - half_wide, (REAL4)0);
      const REAL square = off.x * off.x + off.y * off.y + off.z * off.z;
      take = square > centre.w;
      if (take && relative) take = moments[c].s7 <= criterion * least_size * square * square * (quadrupoles ? sqrt(square) : (REAL)1);
    }
    if (take && (!quadrupoles || centre.w == 0)) {
      if (mass_count == MASSES) {
        meet_masses(&to, masses, mass_count, false, softening);
        mass_count = 0;
      }
      centre.w = moments[c].s0;
      masses[mass_count++] = centre;
    } else if (take) {
      if (cell_count == CELLS) {
        meet_cells(&to, listed_centres, listed_moments, cell_count, softening);
        cell_count = 0;
      }
      listed_centres[cell_count] = centre;
      listed_moments[cell_count++] = moments[c];
    } else if (cell.w == 0) {
      for (uint i = cell.x; i < cell.y; ++i) {
        if (i >= group_first && i < group_end) continue;  // the group's own have met already
        if (mass_count == MASSES) {
          meet_masses(&to, masses, mass_count, false, softening);
          mass_count = 0;
        }
        masses[mass_count++] = bodies[i];
      }
    } else {
      for (uint k = cell.w; k-- > 0;) waiting[depth++] = cell.z + k;
    }
  }
  meet_masses(&to, masses, mass_count, false, softening);
  meet_cells(&to, listed_centres, listed_moments, cell_count, softening);

  for (uint k = 0; k < count; ++k) {
    const REAL4 sum = (REAL4)(to.ax[k], to.ay[k], to.az[k], potentials ? to.phi[k] : 0);
    if (measures)
      sizes[sizes_at + group_first + k] = sqrt(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z);
    else
      out[out_at + (in_tree_order ? group_first - share_first + k : order[order_at + group_first + k])] = gravity * sum;
  }
}
