// The OpenCL C version of operators.hpp, placed before every kernel of the library. Options choose
//   TYPE_u32 …        the element type T
//   OP_plus …         OP(a, b) and IDENTITY
//   TRANSFORM_square  F(x). LIFT(x) converts an element to the operator's accumulator; X(x) is LIFT(F(x)), the element
//                     as it is folded
// A user-defined type, operator or transform is source in front of this file. It defines TYPE_SOURCE, OP_SOURCE (with
// IDENTITY_BYTES) or TRANSFORM_SOURCE instead.

#if defined(TYPE_f64) || defined(WITH_f64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
// A product is rounded before it is added, as everywhere in the library, so that a sum of squares has one definition.
#pragma OPENCL FP_CONTRACT OFF

#if defined(TYPE_SOURCE)
typedef TYPE_SOURCE T;
#elif defined(TYPE_i32)
typedef int T;
typedef uint U;
#define LEAST INT_MIN
#define MOST INT_MAX
#elif defined(TYPE_u32)
typedef uint T;
typedef uint U;
#define LEAST 0u
#define MOST UINT_MAX
#elif defined(TYPE_i64)
typedef long T;
typedef ulong U;
#define LEAST LONG_MIN
#define MOST LONG_MAX
#elif defined(TYPE_u64)
typedef ulong T;
typedef ulong U;
#define LEAST 0ul
#define MOST ULONG_MAX
#elif defined(TYPE_f32)
typedef float T;
typedef float U;
#define LEAST (-INFINITY)
#define MOST INFINITY
#elif defined(TYPE_f64)
typedef double T;
typedef double U;
#define LEAST (-(double)INFINITY)
#define MOST ((double)INFINITY)
#endif

// U is unsigned if T is an integer, because unsigned overflow wraps and signed overflow is undefined.
#if defined(OP_SOURCE)
static inline T OP(T a, T b) { return OP_SOURCE; }
static inline T identity_from_bytes(void) {
  const union { uchar bytes[sizeof(T)]; T value; } u = {{IDENTITY_BYTES}};
  return u.value;
}
#define IDENTITY identity_from_bytes()
#elif defined(OP_plus)
static inline T OP(T a, T b) { return (T)((U)a + (U)b); }
#define IDENTITY ((T)0)
#elif defined(OP_multiplies)
static inline T OP(T a, T b) { return (T)((U)a * (U)b); }
#define IDENTITY ((T)1)
#elif defined(OP_minimum)
static inline T OP(T a, T b) { return b < a ? b : a; }
#define IDENTITY ((T)MOST)
#elif defined(OP_maximum)
static inline T OP(T a, T b) { return a < b ? b : a; }
#define IDENTITY ((T)LEAST)
#elif defined(OP_bit_and)
static inline T OP(T a, T b) { return a & b; }
#define IDENTITY ((T)~(T)0)
#elif defined(OP_bit_or)
static inline T OP(T a, T b) { return a | b; }
#define IDENTITY ((T)0)
#elif defined(OP_bit_xor)
static inline T OP(T a, T b) { return a ^ b; }
#define IDENTITY ((T)0)
#elif defined(OP_logical_and)
static inline T OP(T a, T b) { return (T)(a != (T)0 && b != (T)0); }
#define IDENTITY ((T)1)
#elif defined(OP_logical_or)
static inline T OP(T a, T b) { return (T)(a != (T)0 || b != (T)0); }
#define IDENTITY ((T)0)
#elif defined(OP_compose_affine)
static inline T OP(T first, T second) {
  const uint a1 = (uint)first, b1 = (uint)(first >> 32), a2 = (uint)second, b2 = (uint)(second >> 32);
  return (ulong)(a1 * a2) | (ulong)(a2 * b1 + b2) << 32;
}
#define IDENTITY 1ul
#endif

#if defined(OP_logical_and) || defined(OP_logical_or)
#define LIFT(x) ((T)((x) != (T)0))
#else
#define LIFT(x) (x)
#endif

#if defined(TRANSFORM_SOURCE)
static inline T F(T x) { return TRANSFORM_SOURCE; }
#elif defined(TRANSFORM_negate) && (defined(TYPE_f32) || defined(TYPE_f64))
static inline T F(T x) { return -x; }
#elif defined(TRANSFORM_negate)
static inline T F(T x) { return (T)((U)0 - (U)x); }
#elif defined(TRANSFORM_absolute) && (defined(TYPE_f32) || defined(TYPE_f64))
static inline T F(T x) { return x < (T)0 ? -x : x; }
#elif defined(TRANSFORM_absolute)
static inline T F(T x) { return (T)abs(x); }  // unsigned, so the least integer wraps to itself
#elif defined(TRANSFORM_square)
static inline T F(T x) { return (T)((U)x * (U)x); }
#else
static inline T F(T x) { return x; }
#endif

#define X(x) LIFT(F(x))

// The OpenCL C version of operators/wide_accumulators.hpp: carrier_t is the type that a fold runs in. CARRIED: the fold is a
// sum or product of floats, and the device has f64; otherwise carrier_t is T.
#if defined(CARRIED)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if !defined(CARRIED)
typedef T carrier_t;
#define to_carrier(x) (x)
#define from_carrier(w) (w)
#define join_carriers(a, b) OP(a, b)
#elif defined(OP_plus) && defined(TYPE_f32)
typedef double carrier_t;
#define to_carrier(x) ((double)(x))
#define from_carrier(w) ((float)(w))
#define join_carriers(a, b) ((a) + (b))
#elif defined(OP_plus)
// m, or m·2^128 where `far`.
typedef struct {
  double m;
  int far, unused;
} carrier_t;
static inline carrier_t to_carrier(double x) {
  const carrier_t w = {x, 0, 0};
  return w;
}
static inline double from_carrier(carrier_t w) { return w.far ? w.m * 0x1p128 : w.m; }
static inline carrier_t join_carriers(carrier_t a, carrier_t b) {
  double sum = a.m + b.m;
  if (!a.far && !b.far && sum - sum == 0.0) return to_carrier(sum);
  sum = (a.far ? a.m : a.m * 0x1p-128) + (b.far ? b.m : b.m * 0x1p-128);
  const double near = sum * 0x1p128;
  if (sum - sum != 0.0 || near - near == 0.0) return to_carrier(near);
  const carrier_t w = {sum, 1, 0};
  return w;
}
#else
// m·2^e, |m| being within [2^-500, 2^500], or 0, infinite or NaN.
typedef struct {
  double m;
  int e, unused;
} carrier_t;
static inline carrier_t settled_carrier(carrier_t w) {
  const double size = fabs(w.m);
  if (size > 0x1p500 && size - size == 0.0) {
    w.m *= 0x1p-500;
    w.e += 500;
  } else if (size < 0x1p-500 && size > 0.0) {
    w.m *= 0x1p500;
    w.e -= 500;
  }
  w.e = clamp(w.e, -(500 << 19), 500 << 19);
  return w;
}
static inline carrier_t to_carrier(T x) {
  const carrier_t w = {x, 0, 0};
  return settled_carrier(settled_carrier(w));
}
static inline T from_carrier(carrier_t w) {
  if (w.e == 0) return (T)w.m;
  const double half_way = as_double((ulong)(1023 + clamp(w.e, -2000, 2000) / 2) << 52);
  return (T)(w.m * half_way * half_way);
}
static inline carrier_t join_carriers(carrier_t a, carrier_t b) {
  a.m *= b.m;
  a.e += b.e;
  return settled_carrier(a);
}
#endif
#define CARRIER_IDENTITY to_carrier(IDENTITY)
