// Extends a work-group scan to large arrays, for the textbook variants: each section of SECTION elements is seeded
// with the fold of all sections before it. In an exclusive scan the seed itself is the first element of its section.
kernel void add_sums(global T* out, ulong out_at, global const T* seeds, ulong seeds_at, ulong n, uint inclusive) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  out += out_at;
  const T seed = seeds[seeds_at + i / SECTION];
  out[i] = inclusive || i % SECTION ? OP(seed, out[i]) : seed;
}
