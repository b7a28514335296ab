// CUDA's mathematics, in the host's precision: the results of the approximate ones may differ from a GPU's in the last
// bits.
#pragma once

#include "upsweep_lens/types.h"

#define UPSWEEP_WORD __attribute__((always_inline)) inline

#define UPSWEEP_EXTREMA(T)                                         \
  UPSWEEP_WORD constexpr T min(T a, T b) { return b < a ? b : a; } \
  UPSWEEP_WORD constexpr T max(T a, T b) { return a < b ? b : a; }
UPSWEEP_EXTREMA(int)
UPSWEEP_EXTREMA(unsigned)
UPSWEEP_EXTREMA(long)
UPSWEEP_EXTREMA(unsigned long)
UPSWEEP_EXTREMA(long long)
UPSWEEP_EXTREMA(unsigned long long)
UPSWEEP_EXTREMA(float)
UPSWEEP_EXTREMA(double)
#undef UPSWEEP_EXTREMA
#define UPSWEEP_MIXED_EXTREMA(A, B, T)                                                         \
  UPSWEEP_WORD constexpr T min(A a, B b) { return min(static_cast<T>(a), static_cast<T>(b)); } \
  UPSWEEP_WORD constexpr T min(B a, A b) { return min(static_cast<T>(a), static_cast<T>(b)); } \
  UPSWEEP_WORD constexpr T max(A a, B b) { return max(static_cast<T>(a), static_cast<T>(b)); } \
  UPSWEEP_WORD constexpr T max(B a, A b) { return max(static_cast<T>(a), static_cast<T>(b)); }
UPSWEEP_MIXED_EXTREMA(int, unsigned, unsigned)
UPSWEEP_MIXED_EXTREMA(int, long, long)
UPSWEEP_MIXED_EXTREMA(int, unsigned long, unsigned long)
UPSWEEP_MIXED_EXTREMA(unsigned, unsigned long, unsigned long)
UPSWEEP_MIXED_EXTREMA(long, unsigned long, unsigned long)
UPSWEEP_MIXED_EXTREMA(int, long long, long long)
UPSWEEP_MIXED_EXTREMA(long long, unsigned long long, unsigned long long)
UPSWEEP_MIXED_EXTREMA(float, double, double)
UPSWEEP_MIXED_EXTREMA(int, float, float)
UPSWEEP_MIXED_EXTREMA(int, double, double)
#undef UPSWEEP_MIXED_EXTREMA

// Products of four bytes, or of two halves and the two lower bytes, and their sum.
#define UPSWEEP_DOT_PRODUCTS(T, byte, half)                                                       \
  UPSWEEP_WORD T __dp4a(T a, T b, T c) {                                                          \
    for (int i = 0; i < 32; i += 8) c += (T)(byte)(a >> i) * (T)(byte)(b >> i);                   \
    return c;                                                                                     \
  }                                                                                               \
  UPSWEEP_WORD T __dp2a_lo(T a, T b, T c) {                                                       \
    return c + (T)(half)a * (T)(byte)b + (T)(half)(a >> 16) * (T)(byte)(b >> 8);                  \
  }                                                                                               \
  UPSWEEP_WORD T __dp2a_hi(T a, T b, T c) { return __dp2a_lo(a, (T)(b >> 16), c); }
UPSWEEP_DOT_PRODUCTS(int, signed char, short)
UPSWEEP_DOT_PRODUCTS(unsigned, unsigned char, unsigned short)
#undef UPSWEEP_DOT_PRODUCTS

UPSWEEP_WORD float rsqrtf(float x) { return 1 / sqrtf(x); }
UPSWEEP_WORD double rsqrt(double x) { return 1 / sqrt(x); }
UPSWEEP_WORD float rsqrt(float x) { return 1 / sqrtf(x); }
UPSWEEP_WORD float rcbrtf(float x) { return 1 / cbrtf(x); }
UPSWEEP_WORD double rcbrt(double x) { return 1 / cbrt(x); }
UPSWEEP_WORD float sinpif(float x) { return sinf(x * 3.14159265358979323846f); }
UPSWEEP_WORD float cospif(float x) { return cosf(x * 3.14159265358979323846f); }
UPSWEEP_WORD double sinpi(double x) { return sin(x * 3.14159265358979323846); }
UPSWEEP_WORD double cospi(double x) { return cos(x * 3.14159265358979323846); }
UPSWEEP_WORD float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678118654752f); }
UPSWEEP_WORD double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
UPSWEEP_WORD float fdividef(float a, float b) { return a / b; }
UPSWEEP_WORD float __fdividef(float a, float b) { return a / b; }
// glibc has some of these names for itself.
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __powf(x, y) powf(x, y)
#define __sincosf(x, s, c) sincosf(x, s, c)
UPSWEEP_WORD float __saturatef(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
#define UPSWEEP_ROUNDED(mode)                                                           \
  UPSWEEP_WORD float __fadd_##mode(float a, float b) { return a + b; }                  \
  UPSWEEP_WORD float __fsub_##mode(float a, float b) { return a - b; }                  \
  UPSWEEP_WORD float __fmul_##mode(float a, float b) { return a * b; }                  \
  UPSWEEP_WORD float __fdiv_##mode(float a, float b) { return a / b; }                  \
  UPSWEEP_WORD float __frcp_##mode(float a) { return 1 / a; }                           \
  UPSWEEP_WORD float __fsqrt_##mode(float a) { return sqrtf(a); }                       \
  UPSWEEP_WORD float __fmaf_##mode(float a, float b, float c) { return fmaf(a, b, c); } \
  UPSWEEP_WORD double __dadd_##mode(double a, double b) { return a + b; }               \
  UPSWEEP_WORD double __dmul_##mode(double a, double b) { return a * b; }               \
  UPSWEEP_WORD double __fma_##mode(double a, double b, double c) { return fma(a, b, c); }
UPSWEEP_ROUNDED(rn)
#undef UPSWEEP_ROUNDED
UPSWEEP_WORD float __frsqrt_rn(float a) { return 1 / sqrtf(a); }

#define UPSWEEP_TO_INTEGER(mode, round)                                               \
  UPSWEEP_WORD int __float2int_##mode(float x) { return (int)round(x); }              \
  UPSWEEP_WORD unsigned __float2uint_##mode(float x) { return (unsigned)round(x); }   \
  UPSWEEP_WORD long long __float2ll_##mode(float x) { return (long long)round(x); }   \
  UPSWEEP_WORD int __double2int_##mode(double x) { return (int)round(x); }            \
  UPSWEEP_WORD unsigned __double2uint_##mode(double x) { return (unsigned)round(x); } \
  UPSWEEP_WORD long long __double2ll_##mode(double x) { return (long long)round(x); }
UPSWEEP_TO_INTEGER(rn, std::nearbyint)
UPSWEEP_TO_INTEGER(rz, std::trunc)
UPSWEEP_TO_INTEGER(ru, std::ceil)
UPSWEEP_TO_INTEGER(rd, std::floor)
#undef UPSWEEP_TO_INTEGER
UPSWEEP_WORD float __int2float_rn(int x) { return (float)x; }
UPSWEEP_WORD float __int2float_rz(int x) { return (float)x; }
UPSWEEP_WORD float __uint2float_rn(unsigned x) { return (float)x; }
UPSWEEP_WORD float __uint2float_rz(unsigned x) { return (float)x; }
UPSWEEP_WORD double __int2double_rn(int x) { return x; }
UPSWEEP_WORD double __uint2double_rn(unsigned x) { return x; }
UPSWEEP_WORD float __double2float_rn(double x) { return (float)x; }
#define UPSWEEP_SAME_BITS(name, to, from)     \
  UPSWEEP_WORD to name(from x) {              \
    to bits;                                  \
    __builtin_memcpy(&bits, &x, sizeof bits); \
    return bits;                              \
  }
UPSWEEP_SAME_BITS(__float_as_int, int, float)
UPSWEEP_SAME_BITS(__float_as_uint, unsigned, float)
UPSWEEP_SAME_BITS(__int_as_float, float, int)
UPSWEEP_SAME_BITS(__uint_as_float, float, unsigned)
UPSWEEP_SAME_BITS(__double_as_longlong, long long, double)
UPSWEEP_SAME_BITS(__longlong_as_double, double, long long)
#undef UPSWEEP_SAME_BITS

UPSWEEP_WORD int __popc(unsigned x) { return __builtin_popcount(x); }
UPSWEEP_WORD int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
UPSWEEP_WORD int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
UPSWEEP_WORD int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
UPSWEEP_WORD int __ffs(int x) { return __builtin_ffs(x); }
UPSWEEP_WORD int __ffsll(long long x) { return __builtin_ffsll(x); }
UPSWEEP_WORD unsigned __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; ++i) y |= (x >> i & 1) << (31 - i);
  return y;
}
UPSWEEP_WORD unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
UPSWEEP_WORD int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
UPSWEEP_WORD unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
UPSWEEP_WORD int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
UPSWEEP_WORD unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
UPSWEEP_WORD unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
UPSWEEP_WORD unsigned __sad(int a, int b, unsigned c) { return c + (unsigned)(a < b ? b - a : a - b); }
UPSWEEP_WORD unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
UPSWEEP_WORD unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (by & 31) >> 32);
}
UPSWEEP_WORD unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
UPSWEEP_WORD unsigned __byte_perm(unsigned a, unsigned b, unsigned how) {
  const unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= (unsigned)(both >> 8 * (how >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}
