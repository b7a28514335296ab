#include <hwy/targets.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "upsweep/cpu/simd_dispatch.hpp"
#include "upsweep/error.hpp"

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace upsweep::cpu {

#if HWY_ARCH_X86

namespace {

struct registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

registers cpuid(unsigned leaf) {
  registers r;
  if (!__get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d)) r = {};
  return r;
}

// Whether the operating system saves the registers of these bits of XCR0.
bool saved(unsigned bits) {
  if (!(cpuid(1).c >> 27 & 1)) return false;  // the processor has no XGETBV
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & bits) == bits;
}

bool has(unsigned of, std::initializer_list<int> bits) {
  for (const int b : bits)
    if (!(of >> b & 1)) return false;
  return true;
}

}  // namespace

std::string_view instructions_asked() {
  const char* const asked = std::getenv("UPSWEEP_INSTRUCTIONS");
  const std::string_view set = asked ? asked : "";
  if (asked && set != "avx2" && set != "baseline")
    throw error(fault::bad_argument, "context::cpu",
                "UPSWEEP_INSTRUCTIONS=" + std::string(set) + " is not an instruction set", "write avx2, or baseline");
  return set;
}

std::int64_t supported_targets() {
  const std::string_view asked = instructions_asked();
  const std::int64_t allowed = asked.empty() ? ~std::int64_t{0} : asked == "avx2" ? HWY_AVX2 : 0;
  std::int64_t all = 0;  // the baseline is in every table
  const registers one = cpuid(1), seven = cpuid(7), extended = cpuid(0x80000001);
  // SSE3 to 4.2, PCLMUL, AES, POPCNT, FMA, AVX, F16C; LZCNT; BMI, AVX2, BMI2.
  const bool avx2 = has(one.c, {0, 1, 9, 12, 19, 20, 23, 25, 28, 29}) && has(extended.c, {5}) &&
                    has(seven.b, {3, 5, 8}) && saved(0x6);
  if (avx2) all |= HWY_AVX2;
  // AVX-512 F, DQ, CD, BW, VL.
  if (avx2 && has(seven.b, {16, 17, 28, 30, 31}) && saved(0xe6)) all |= HWY_AVX3;
  return all & allowed;
}

#else

std::string_view instructions_asked() { return {}; }
std::int64_t supported_targets() { return 0; }  // only the baseline is available

#endif

}  // namespace upsweep::cpu
