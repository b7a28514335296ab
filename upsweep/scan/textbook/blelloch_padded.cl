// scan/blelloch-padded
//
// Source    harris2007, and kit, 2015 ("work-efficient local scan with padding", "extension to large arrays").
// Teaches   the work-efficient scan of scan/blelloch-block with a gap after every 32 cells: cells 2s apart are then in
//           different banks of local memory. The sections' folds are scanned by the same kernel, level by level, and
//           added back.
// Work      2(SECTION - 1) a section, and n to add the seeds: about 3n. Span 2·log2 SECTION and 1 a level. Launches two
//           a level, less one.
// Wrong     four passes over global memory where two would do, and a barrier a step with ever fewer items at work.
// Fixed by  scan/reduce-then-scan, and scan/decoupled-lookback.
// Erratum   harris2007 pads by 16 banks (there are 32 today) and computes the second cell's offset from the first one's
//           index: each cell has its own here.
// Keeps its operands in order. Any n: what is past the end is the identity.

#define CELL(i) ((i) + (i) / 32)

// `sums` gets each section's fold. `seeded`: there is one section, and init goes before it.
kernel void scan_sections(global const T* in, ulong in_at, global T* out, ulong out_at, global T* sums, ulong sums_at, ulong n,
                          uint first_level, uint inclusive, uint seeded, const T init) {
  local T cells[CELL(SECTION - 1) + 1];
  const uint t = (uint)get_local_id(0), u = t + SECTION / 2;
  const ulong i = get_group_id(0) * (ulong)SECTION + t, j = get_group_id(0) * (ulong)SECTION + u;
  in += in_at;
  out += out_at;
  T a = IDENTITY, b = IDENTITY;
  if (i < n) a = first_level ? X(in[i]) : in[i];
  if (j < n) b = first_level ? X(in[j]) : in[j];
  cells[CELL(t)] = a;
  cells[CELL(u)] = b;

  for (uint s = 1; s < SECTION; s *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // the level below is written, before its pairs are joined
    if (t < SECTION / 2 / s) {
      const uint left = CELL(s * (2 * t + 1) - 1), right = CELL(s * (2 * t + 2) - 1);
      cells[right] = OP(cells[left], cells[right]);
    }
  }
  if (t == 0) {  // this thread wrote the root
    const uint root = CELL(SECTION - 1);
    sums[sums_at + get_group_id(0)] = cells[root];
    cells[root] = seeded ? init : IDENTITY;
  }
  for (uint s = SECTION / 2; s; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // the level above has its prefixes, before its children read them
    if (t < SECTION / 2 / s) {
      const uint left = CELL(s * (2 * t + 1) - 1), right = CELL(s * (2 * t + 2) - 1);
      const T fold = cells[left];
      cells[left] = cells[right];
      cells[right] = OP(cells[right], fold);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all prefixes, before each item takes two
  if (i < n) out[i] = inclusive ? OP(cells[CELL(t)], a) : cells[CELL(t)];
  if (j < n) out[j] = inclusive ? OP(cells[CELL(u)], b) : cells[CELL(u)];
}
