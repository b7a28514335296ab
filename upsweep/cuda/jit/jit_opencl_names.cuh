// OpenCL C's names, for device source that is compiled as CUDA C++, and types that have a name only in C++.
#pragma once

#include "upsweep/bfloat16.hpp"
#include "upsweep/half.hpp"

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;

#define __constant const
#define __private
#define as_int(x) __builtin_bit_cast(int, x)
#define as_uint(x) __builtin_bit_cast(uint, x)
#define as_float(x) __builtin_bit_cast(float, x)
#define as_long(x) __builtin_bit_cast(long, x)
#define as_ulong(x) __builtin_bit_cast(ulong, x)
#define as_double(x) __builtin_bit_cast(double, x)

template <class T>
constexpr T clamp(T x, T low, T high) {
  return x < low ? low : high < x ? high : x;
}
template <class T>
constexpr T mad(T a, T b, T c) {
  return a * b + c;
}
inline int popcount(uint x) { return __popc(x); }
inline int popcount(int x) { return __popc(static_cast<uint>(x)); }
inline long popcount(long x) { return __popcll(x); }
inline ulong popcount(ulong x) { return static_cast<ulong>(__popcll(static_cast<long long>(x))); }
