// Kernels of one rank of a communicator for its domain of the tree, apart from building and walking it: they move
// bodies that enter and leave, select the cells that the walks of other ranks need, and insert the cells that come from
// other ranks. The file is compiled after nbody_opencl_tree.cl; cells, moments and boxes are those of that file.

kernel void bring_rows(global const REAL4* rows, ulong rows_at, global const uint* places, ulong places_at, global REAL4* out, ulong out_at, ulong base,
                       ulong count) {
  const ulong i = get_global_id(0);
  if (i < count) out[out_at + i] = rows[rows_at + places[places_at + i] - base];
}

kernel void put_rows(global const REAL4* rows, ulong rows_at, global const uint* places, ulong places_at, global REAL4* out, ulong out_at, ulong base,
                     ulong count) {
  const ulong i = get_global_id(0);
  if (i < count) out[out_at + places[places_at + i] - base] = rows[rows_at + i];
}

kernel void find_listed_moments(global const REAL4* bodies, ulong bodies_at, global const uint4* cells, ulong cells_at, global REAL4* centres,
                                ulong centres_at, global REAL8* moments, ulong moments_at, global REAL4* boxes, ulong boxes_at, global const uint* list,
                                ulong list_at, uint count) {
  const uint k = get_global_id(0);
  if (k < count)
    find_moments_of(bodies + bodies_at, cells + cells_at, centres + centres_at, moments + moments_at, boxes + boxes_at, list[list_at + k]);
}

// For each BODIES_IN_BOX of the bodies [first, end), seven numbers: the lower and upper corner of their box, and the
// least of the sizes. If the place of a body is not finite, the box is NaN, and may open all cells.
kernel void find_body_boxes(global const REAL4* bodies, ulong bodies_at, global const REAL* sizes, ulong sizes_at, global REAL* boxes, ulong boxes_at,
                            ulong first, ulong end, uint sized) {
  const ulong b = get_global_id(0), begin = first + b * BODIES_IN_BOX;
  if (begin >= end) return;
  bodies += bodies_at;
  REAL4 lower = bodies[begin], upper = lower, nowhere = 0;
  REAL least = NEVER;
  for (ulong i = begin; i < min(end, begin + BODIES_IN_BOX); ++i) {
    const REAL4 body = bodies[i];
    lower = fmin(lower, body);
    upper = fmax(upper, body);
    nowhere += body - body;
    if (sized) least = fmin(least, sizes[sizes_at + i]);
  }
  boxes += boxes_at + 7 * b;
  vstore3((lower + nowhere).xyz, 0, boxes);
  vstore3((upper + nowhere).xyz, 1, boxes);
  boxes[6] = least;
}

// Whether a group of the box may open the cell. The walk computes the distance from numbers not larger than the widest
// coordinate, with a few roundings. Here the distance is reduced by more than these roundings, and the values computed
// from it increase with it.
bool may_be_opened(global const REAL* box, REAL4 centre, REAL error_mass, REAL margin, REAL criterion, uint quadrupoles, uint relative) {
  if (centre.w == 0) return false;
  const REAL at[3] = {centre.x, centre.y, centre.z};
  REAL square = 0;
  for (int a = 0; a < 3; ++a) {
    const REAL below = box[a] - at[a], above = at[a] - box[3 + a], apart = (below > above ? below : above) - margin;
    if (!isfinite(below) || !isfinite(apart)) return true;
    if (apart > 0) square += apart * apart;
  }
  square *= WITHIN_ROUNDING;
  if (!(square > centre.w)) return true;
  if (!relative) return false;
  return !(error_mass <= criterion * box[6] * square * square * (quadrupoles ? sqrt(square) : (REAL)1));
}

// An item walks for each box, from the seeds: the first cells of those from `first` on. Bit owners[b] of a cell's `words`
// words says that box b may open it.
kernel void mark_opened(global const uint4* cells, ulong cells_at, global const REAL4* centres, ulong centres_at, global const REAL8* moments,
                        ulong moments_at, global const REAL* boxes, ulong boxes_at, global const uint* owners, ulong owners_at, global uint* opened,
                        ulong opened_at, uint first, uint seeds, uint count, uint words, REAL margin, REAL criterion, uint quadrupoles, uint relative) {
  uint waiting[512];  // 64 levels leave 7 each, and 8 of the last
  const uint b = get_global_id(0);
  if (b >= count) return;
  const uint owner = owners[owners_at + b];
  for (uint seed = 0; seed < seeds; ++seed) {
    uint depth = 0;
    waiting[depth++] = first + seed;
    while (depth > 0) {
      const uint c = waiting[--depth];
      if (!may_be_opened(boxes + boxes_at + 7 * (ulong)b, centres[centres_at + c], moments[moments_at + c].s7, margin, criterion, quadrupoles, relative))
        continue;
      // Items may set the bit in any order; it is read after this launch has ended.
      atomic_or(opened + opened_at + (ulong)(c - first) * words + owner / 32, 1u << owner % 32);
      const uint4 cell = cells[cells_at + c];
      for (uint k = 0; k < cell.w; ++k) waiting[depth++] = cell.z + k;
    }
  }
}

bool is_opened(global const uint* opened, uint k, uint words, uint rank) { return opened[(ulong)k * words + rank / 32] >> rank % 32 & 1; }

kernel void count_sent(global const uint4* cells, ulong cells_at, global const uint* opened, ulong opened_at, global ulong* counts, ulong counts_at,
                       uint first, uint count, uint words, uint rank) {
  const uint k = get_global_id(0);
  if (k > count) return;
  ulong sent = 0;
  if (k < count && is_opened(opened + opened_at, k, words, rank)) {
    const uint4 cell = cells[cells_at + first + k];
    sent = cell.w ? cell.w : (ulong)(cell.y - cell.x) << 32;
  }
  counts[counts_at + k] = sent;
}

#define NOT_HERE 0xffffffffu

// A cell in the form that is sent: for an opened cell, the place where its children, or its bodies, begin in the sent
// data.
uint4 cell_to_send(global const uint4* cells, global const uint* opened, global const ulong* before, uint k, uint seeds, uint words, uint rank) {
  if (!is_opened(opened, k, words, rank)) return (uint4)(NOT_HERE, NOT_HERE, 0, 0);
  const uint4 cell = cells[k];
  const ulong at = before[k];
  if (cell.w) return (uint4)(NOT_HERE, NOT_HERE, seeds + (uint)at, cell.w);
  const uint body = (uint)(at >> 32);
  return (uint4)(body, body + (cell.y - cell.x), 0, 0);
}

// The seeds, and then the children of each cell that is opened, in the order of these; and the bodies of leaves.
kernel void pack_cells(global const uint4* cells, ulong cells_at, global const REAL4* centres, ulong centres_at, global const REAL8* moments,
                       ulong moments_at, global const REAL4* bodies, ulong bodies_at, global const uint* opened, ulong opened_at,
                       global const ulong* before, ulong before_at, global uint4* to, ulong to_at, global REAL4* centres_to, ulong centres_to_at,
                       global REAL8* moments_to, ulong moments_to_at, global REAL4* bodies_to, ulong bodies_to_at, uint first, uint count, uint seeds,
                       uint words, uint rank) {
  const uint k = get_global_id(0);
  if (k >= count) return;
  cells += cells_at + first;
  centres += centres_at + first;
  moments += moments_at + first;
  opened += opened_at;
  before += before_at;
  if (k < seeds) {
    to[to_at + k] = cell_to_send(cells, opened, before, k, seeds, words, rank);
    centres_to[centres_to_at + k] = centres[k];
    moments_to[moments_to_at + k] = moments[k];
  }
  if (!is_opened(opened, k, words, rank)) return;
  const uint4 cell = cells[k];
  const ulong at = before[k];
  for (uint child = 0; child < cell.w; ++child) {
    const uint from = cell.z - first + child, place = seeds + (uint)at + child;
    to[to_at + place] = cell_to_send(cells, opened, before, from, seeds, words, rank);
    centres_to[centres_to_at + place] = centres[from];
    moments_to[moments_to_at + place] = moments[from];
  }
  if (cell.w == 0)
    for (uint i = cell.x; i < cell.y; ++i) bodies_to[bodies_to_at + (at >> 32) + (i - cell.x)] = bodies[bodies_at + i];
}

// Cells that came, to where they are walked.
kernel void take_in(global const uint4* came, ulong came_at, global const REAL4* centres_came, ulong centres_came_at, global const REAL8* moments_came,
                    ulong moments_came_at, global const uint* seed_places, ulong seed_places_at, global uint4* cells, ulong cells_at, global REAL4* centres,
                    ulong centres_at, global REAL8* moments, ulong moments_at, uint count, uint seeds, uint cell_base, uint body_base, uint nobody) {
  const uint i = get_global_id(0);
  if (i >= count) return;
  uint4 cell = came[came_at + i];
  if (cell.w)
    cell.z += cell_base - seeds;
  else if (cell.x == NOT_HERE)
    cell.xy = (uint2)(nobody, nobody + 1);
  else
    cell.xy += body_base;
  const uint to = i < seeds ? seed_places[seed_places_at + i] : cell_base + (i - seeds);
  cells[cells_at + to] = cell;
  centres[centres_at + to] = centres_came[centres_came_at + i];
  moments[moments_at + to] = moments_came[moments_came_at + i];
}
