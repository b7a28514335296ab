// One function compiled for several instruction sets, and the processor's own among them: Highway's tables, with a
// choice of our own. Highway's is in a library that measures the clock for 5 ms when it is loaded, by every program
// that links us.
//
//   UPSWEEP_EXPORT(fold_for);                          after the code of all targets, once a file
//   kernel k = UPSWEEP_DISPATCH(fold_for)(type, op);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upsweep::cpu {

// Highway's bits of the targets that upsweep/cpu/targets.hpp leaves on and this processor has; on x86 without those
// that are wider than UPSWEEP_INSTRUCTIONS, avx2 or baseline, where that is set.
std::int64_t supported_targets();

// What that variable says, nothing where it is not set or not heeded; an error where nobody knows such a set.
std::string_view instructions_asked();

}  // namespace upsweep::cpu

#define UPSWEEP_EXPORT(f)                  \
  static decltype(&HWY_STATIC_DISPATCH(f)) \
      const f##_by_target[] = {nullptr, HWY_CHOOSE_TARGET_LIST(f), HWY_CHOOSE_FALLBACK(f)}

// Which targets a file has been compiled for is its own, and so is this lambda.
#define UPSWEEP_DISPATCH(f)                               \
  (*f##_by_target[([] {                                   \
    static const std::size_t mine = [] {                  \
      hwy::ChosenTarget chosen;                           \
      chosen.Update(::upsweep::cpu::supported_targets()); \
      return static_cast<std::size_t>(chosen.GetIndex()); \
    }();                                                  \
    return mine;                                          \
  }())])
