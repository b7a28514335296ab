// Run-time dispatch of a function that is compiled for several instruction sets. It uses the tables of Highway with its
// own choice of the target: Highway's choice is in a library that measures the clock for 5 ms when it is loaded, in
// every program that links Upsweep.
//
//   UPSWEEP_EXPORT(fold_for);                          after the code of all targets, once a file
//   kernel k = UPSWEEP_DISPATCH(fold_for)(type, op);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upsweep::cpu {

// Highway's bits of the targets that upsweep/cpu/simd_targets.hpp enables and this processor supports. On x86, targets
// wider than the environment variable UPSWEEP_INSTRUCTIONS (avx2 or baseline), if it is set, are left out.
std::int64_t supported_targets();

// The value of that variable; empty if it is not set or has no effect. Throws if no instruction set has that name.
std::string_view instructions_asked();

}  // namespace upsweep::cpu

#define UPSWEEP_EXPORT(f)                  \
  static decltype(&HWY_STATIC_DISPATCH(f)) \
      const f##_by_target[] = {nullptr, HWY_CHOOSE_TARGET_LIST(f), HWY_CHOOSE_FALLBACK(f)}

// Every file has its own set of targets, and therefore its own lambda.
#define UPSWEEP_DISPATCH(f)                               \
  (*f##_by_target[([] {                                   \
    static const std::size_t mine = [] {                  \
      hwy::ChosenTarget chosen;                           \
      chosen.Update(::upsweep::cpu::supported_targets()); \
      return static_cast<std::size_t>(chosen.GetIndex()); \
    }();                                                  \
    return mine;                                          \
  }())])
