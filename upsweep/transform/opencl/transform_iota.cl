// The host defines T and U, which is unsigned where T is an integer: there overflow wraps, where a signed one is
// undefined.
#if defined(WITH_f64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

kernel void iota(global T* out, ulong out_at, ulong n, T first, T step, ulong from) {
  const ulong i = get_global_id(0);
  if (i < n) out[out_at + i] = (T)((U)first + (U)((U)(T)(from + i) * (U)step));
}
