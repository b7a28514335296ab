// One work-item an element. After the options of operators.cl the host defines the types and the function of a call:
//   PARAMETERS           global const int* in0, ulong in0_at, …   with a comma behind each
//   READ                 const int v0 = in0[in0_at + k]; …
//   OUT                  the result's type
//   FUNCTION_PARAMETERS  int x, …
//   RESULT               an expression in them
//   ARGUMENTS            v0, …
// and if a test selects the elements that are written:
//   TEST                 an expression in x, of the tested input, and threshold
//   TESTED, TESTED_TYPE  the input that is tested, and its type
//   CONSTANTS            , int threshold, int value
//   REPLACED             value goes there, and the first input elsewhere
#if !defined(REPLACED)
static inline OUT mapped(FUNCTION_PARAMETERS) { return RESULT; }
#endif
#if defined(TEST)
static inline int passes(TESTED_TYPE x, TESTED_TYPE threshold) { return TEST; }
#endif

kernel void map(PARAMETERS global OUT* out, ulong out_at, ulong n, ulong first CONSTANTS) {
  const ulong k = get_global_id(0);
  if (k >= n) return;
  READ
#if defined(REPLACED)
  if (passes(TESTED, threshold)) out[out_at + k] = value;
  else out[out_at + k] = v0;
#elif defined(TEST)
  if (passes(TESTED, threshold)) out[out_at + k] = mapped(ARGUMENTS);
#else
  out[out_at + k] = mapped(ARGUMENTS);
#endif
}
