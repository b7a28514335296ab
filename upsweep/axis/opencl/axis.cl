// Folds along an axis, after opencl/operators.cl: an item a line, or a piece of one; neighbouring items have neighbouring
// lines, so that their accesses lie side by side.
static inline ulong line_begin(ulong line, ulong length, ulong inner) { return line / inner * length * inner + line % inner; }

// folds[piece][line]; one piece: init ∘ the line.
kernel void fold_lines(global const T* in, ulong in_at, global T* folds, ulong folds_at, ulong lines, ulong length, ulong inner, ulong pieces, ulong piece,
                       const T init) {
  const ulong i = get_global_id(0);
  if (i >= lines * pieces) return;
  const ulong line = i % lines, begin = i / lines * piece, end = min(length, begin + piece);
  in += in_at + line_begin(line, length, inner);
  T sum = init;
  if (begin < end) {
    sum = X(in[begin * inner]);
    for (ulong j = begin + 1; j < end; ++j) sum = OP(sum, X(in[j * inner]));
    if (pieces == 1) sum = OP(init, sum);
  }
  folds[folds_at + i] = sum;
}

// A line's folds joined in order.
kernel void join_folds(global const T* folds, ulong folds_at, global T* out, ulong out_at, ulong lines, ulong pieces, const T init) {
  const ulong line = get_global_id(0);
  if (line >= lines) return;
  T sum = folds[folds_at + line];
  for (ulong k = 1; k < pieces; ++k) sum = OP(sum, folds[folds_at + k * lines + line]);
  out[out_at + line] = OP(init, sum);
}

// Each fold becomes that of the pieces before it, after init.
kernel void scan_folds(global T* folds, ulong folds_at, ulong lines, ulong pieces, const T init) {
  const ulong line = get_global_id(0);
  if (line >= lines) return;
  T running = init;
  for (ulong k = 0; k < pieces; ++k) {
    const T next = OP(running, folds[folds_at + k * lines + line]);
    folds[folds_at + k * lines + line] = running;
    running = next;
  }
}

kernel void scan_lines(global const T* in, ulong in_at, global T* out, ulong out_at, global const T* before, ulong before_at, ulong lines, ulong length,
                       ulong inner, ulong pieces, ulong piece, uint inclusive, const T init) {
  const ulong i = get_global_id(0);
  if (i >= lines * pieces) return;
  const ulong line = i % lines, begin = i / lines * piece, end = min(length, begin + piece), first = line_begin(line, length, inner);
  T running = pieces == 1 ? init : before[before_at + i];
  for (ulong j = begin; j < end; ++j) {
    const T next = OP(running, X(in[in_at + first + j * inner]));
    out[out_at + first + j * inner] = inclusive ? next : running;
    running = next;
  }
}
