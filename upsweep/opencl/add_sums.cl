// The extension of a scan by work-groups to large arrays, for the rungs: each section of SECTION elements is seeded
// with the fold of all sections before it. An exclusive scan's first element in a section is that seed itself.
kernel void add_sums(global T* out, ulong out_at, global const T* seeds, ulong seeds_at, ulong n, uint inclusive) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  out += out_at;
  const T seed = seeds[seeds_at + i / SECTION];
  out[i] = inclusive || i % SECTION ? OP(seed, out[i]) : seed;
}
