// The instruction sets that SIMD code is compiled for, before highway.h is seen: AVX-512, AVX2 and the baseline on x86, NEON on Arm.
// What lies between buys little and costs compile time; vectors whose length is unknown at compile time cannot stand in an array.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
