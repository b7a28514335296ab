// Folds along an axis, after opencl/operators.cl: one work-item per line, or per piece of one. Neighbouring items take
// neighbouring lines, so that their accesses are coalesced.
static inline ulong line_begin(ulong line, ulong length, ulong inner) { return line / inner * length * inner + line % inner; }

// folds[piece][line], in carrier_t; one piece: init ∘ the line, in T.
kernel void fold_lines(global const T* in, ulong in_at, global carrier_t* folds, ulong folds_at, ulong lines, ulong length, ulong inner, ulong pieces, ulong piece,
                       const T init) {
  const ulong i = get_global_id(0);
  if (i >= lines * pieces) return;
  const ulong line = i % lines, begin = i / lines * piece, end = min(length, begin + piece);
  in += in_at + line_begin(line, length, inner);
  carrier_t sum = to_carrier(init);
  if (begin < end) {
    sum = to_carrier(X(in[begin * inner]));
    for (ulong j = begin + 1; j < end; ++j) sum = join_carriers(sum, to_carrier(X(in[j * inner])));
    if (pieces == 1) sum = join_carriers(to_carrier(init), sum);
  }
  if (pieces == 1) ((global T*)folds)[folds_at + i] = from_carrier(sum);
  else folds[folds_at + i] = sum;
}

// Joins the folds of a line's pieces in order.
kernel void join_folds(global const carrier_t* folds, ulong folds_at, global T* out, ulong out_at, ulong lines, ulong pieces, const T init) {
  const ulong line = get_global_id(0);
  if (line >= lines) return;
  carrier_t sum = folds[folds_at + line];
  for (ulong k = 1; k < pieces; ++k) sum = join_carriers(sum, folds[folds_at + k * lines + line]);
  out[out_at + line] = from_carrier(join_carriers(to_carrier(init), sum));
}

// Replaces each fold by that of the pieces before it, after init.
kernel void scan_folds(global carrier_t* folds, ulong folds_at, ulong lines, ulong pieces, const T init) {
  const ulong line = get_global_id(0);
  if (line >= lines) return;
  carrier_t running = to_carrier(init);
  for (ulong k = 0; k < pieces; ++k) {
    const carrier_t next = join_carriers(running, folds[folds_at + k * lines + line]);
    folds[folds_at + k * lines + line] = running;
    running = next;
  }
}

kernel void scan_lines(global const T* in, ulong in_at, global T* out, ulong out_at, global const carrier_t* before, ulong before_at, ulong lines, ulong length,
                       ulong inner, ulong pieces, ulong piece, uint inclusive, const T init) {
  const ulong i = get_global_id(0);
  if (i >= lines * pieces) return;
  const ulong line = i % lines, begin = i / lines * piece, end = min(length, begin + piece), first = line_begin(line, length, inner);
  carrier_t running = to_carrier(init);
  if (pieces != 1) running = before[before_at + i];
  for (ulong j = begin; j < end; ++j) {
    const carrier_t next = join_carriers(running, to_carrier(X(in[in_at + first + j * inner])));
    out[out_at + first + j * inner] = from_carrier(inclusive ? next : running);
    running = next;
  }
}
