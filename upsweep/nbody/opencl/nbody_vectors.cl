// Vectors of bodies for CPUs. The host defines REAL (float or double), LANE (int or long, as wide as REAL), WIDTH (of the
// vectors), LEAST and LARGEST (squares of distances between which pairs act).

#ifdef WITH_f64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define REAL4 JOINED(REAL, 4)
#define REAL8 JOINED(REAL, 8)
#define REALV JOINED(REAL, WIDTH)
#define LANEV JOINED(LANE, WIDTH)
#define LOADV JOINED(vload, WIDTH)
#define STOREV JOINED(vstore, WIDTH)

LANEV lane_numbers(void) {
  LANE numbers[WIDTH];
  for (uint k = 0; k < WIDTH; ++k) numbers[k] = k;
  return LOADV(0, numbers);
}

// Adds the acceleration by a mass to the bodies at (x, y, z), except to the lanes in `own`, whose body is the mass
// itself.
void pull_on(REALV x, REALV y, REALV z, REAL4 there, LANEV own, REAL softening, REALV* ax, REALV* ay, REALV* az, REALV* phi) {
  const REALV dx = there.x - x, dy = there.y - y, dz = there.z - z, q = dx * dx + dy * dy + dz * dz + softening;
  const LANEV nothing = (q < (REAL)LEAST) | (q > (REAL)LARGEST) | own;
  const REALV mass = select((REALV)there.w, (REALV)0, nothing);
  const REALV u = 1 / sqrt(clamp(q, (REALV)LEAST, (REALV)LARGEST)), near = mass * u, pull = near * u;
  *ax += pull * (u * dx);
  *ay += pull * (u * dy);
  *az += pull * (u * dz);
  *phi -= near;
}
