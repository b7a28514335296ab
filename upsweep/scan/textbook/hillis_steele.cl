// scan/hillis-steele
//
// Source    article, and kit, 2015 ("naive"); after Hillis and Steele, 1986.
// Teaches   the window doubles: after the step at distance d every element holds the fold of the 2d elements up to it.
//           All n items work in every step and none waits within it; a launch is the barrier. Two buffers take turns,
//           because a step reads what its neighbours would overwrite.
// Work      n·log2 n. Span log2 n, rounded up. Launches one a step, after taking in.
// Wrong     work: log2 n times what one running variable needs, and as many passes over memory.
// Fixed by  scan/blelloch-block.
// Keeps its operands in order. Any n. Exclusive by shifting the input right by one.

kernel void take_in_shifted(global const T* in, ulong in_at, global T* out, ulong out_at, ulong n, uint inclusive, const T init) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  in += in_at;
  T x;
  if (inclusive)
    x = i ? X(in[i]) : OP(init, X(in[i]));
  else
    x = i ? X(in[i - 1]) : init;
  out[out_at + i] = x;
}

kernel void add_from(global const T* in, ulong in_at, global T* out, ulong out_at, ulong n, ulong distance) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  in += in_at;
  out[out_at + i] = i >= distance ? OP(in[i - distance], in[i]) : in[i];
}
