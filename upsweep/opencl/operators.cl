// operators.hpp once more, in OpenCL C: every kernel of the library comes after this text. Options choose
//   TYPE_u32 …        the element type T
//   OP_plus …         OP(a, b) and IDENTITY
//   TRANSFORM_square  F(x); LIFT(x) brings an element to where the operator works, and X(x) is both: the element as it
//                     is folded
// A type, operator or transform of the user's own comes as text in front of this file: it defines TYPE_TEXT, OP_TEXT
// (with IDENTITY_BYTES) or TRANSFORM_TEXT instead.

#if defined(TYPE_f64) || defined(WITH_f64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
// A product is rounded before it is added, as everywhere in the library, so that a sum of squares has one meaning.
#pragma OPENCL FP_CONTRACT OFF

#if defined(TYPE_TEXT)
typedef TYPE_TEXT T;
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

// U is unsigned where T is an integer: there overflow wraps, where a signed one is undefined.
#if defined(OP_TEXT)
static inline T OP(T a, T b) { return OP_TEXT; }
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

#if defined(TRANSFORM_TEXT)
static inline T F(T x) { return TRANSFORM_TEXT; }
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
