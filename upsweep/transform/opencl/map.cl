// One item an element. The host defines, after operators.cl's options, what a call's types and function are:
//   PARAMETERS           global const int* in0, ulong in0_at, …   with a comma behind each
//   READ                 const int x = in0[in0_at + k]; …
//   OUT                  the result's type
//   FUNCTION_PARAMETERS  int x, …
//   RESULT               an expression in them
//   ARGUMENTS            x, …
static inline OUT mapped(FUNCTION_PARAMETERS) { return RESULT; }

kernel void map(PARAMETERS global OUT* out, ulong out_at, ulong n, ulong first) {
  const ulong k = get_global_id(0);
  if (k >= n) return;
  READ
  out[out_at + k] = mapped(ARGUMENTS);
}
