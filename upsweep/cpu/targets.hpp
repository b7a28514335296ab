// The instruction sets that SIMD code is compiled for, before highway.h is seen: AVX-512, AVX2 and the baseline on x86,
// NEON on Arm.
// What lies between buys little and costs compile time; vectors whose length is unknown at compile time cannot stand in
// an array.
#pragma once

#include "upsweep/cpu/dispatch.hpp"

// Under a sanitizer AVX2 stands for AVX-512, too: nearly all of it is the same source, and each instruction set is
// compiled for minutes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UPSWEEP_TARGETS_OFF HWY_AVX3
#else
#define UPSWEEP_TARGETS_OFF 0
#endif

#define HWY_DISABLED_TARGETS \
  (UPSWEEP_TARGETS_OFF | HWY_AVX3_DL | HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
