// The instruction sets that SIMD code is compiled for, selected before highway.h is included: AVX-512, AVX2 and the
// baseline on x86, NEON on Arm. The sets between them gain little and cost compile time. Sets with vectors of a length
// unknown at compile time are left out, because such vectors cannot be elements of an array.
#pragma once

#include "upsweep/cpu/simd_dispatch.hpp"

// Under a sanitizer AVX2 replaces AVX-512: nearly all of their source is the same, and each instruction set takes
// minutes to compile.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UPSWEEP_TARGETS_OFF HWY_AVX3
#else
#define UPSWEEP_TARGETS_OFF 0
#endif

#define HWY_DISABLED_TARGETS \
  (UPSWEEP_TARGETS_OFF | HWY_AVX3_DL | HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
