// Function objects whose whole definition is also kept as device source. With them for_each_index and recur run on
// CUDA from files that nvcc does not compile: NVRTC compiles the library's kernels together with the definition. The
// object's members are passed as bytes, including addresses of device memory.
//
//   UPSWEEP_WITH_SOURCE(doubled, {
//     float* data;
//     UPSWEEP_HD void operator()(std::uint64_t i) const { data[i] *= 2; }
//   });
//   upsweep::for_each_index(gpu, n, doubled{x.span().data()});
//
// defines struct doubled with that body, in any namespace but not in a function, together with its source. The source
// is CUDA C++ and is compiled by itself. It may use the standard's fixed-width integers, <type_traits>, <concepts>,
// upsweep's operators.hpp and half.hpp, for for_each_index also for_each/for_each_first_match.hpp, and the OpenCL C
// names listed in jit/jit.hpp. It may use nothing else of the file, and no # at the beginning of a line. A
// type that needs more than one definition provides its source directly:
//
//   constexpr upsweep::code_source upsweep_source_of(const doubled*) {
//     return {"doubled", "struct pair { … }; struct …"};
//   }
//
// Requires   a trivially copyable type of at most 2 KiB, with the same layout in the source and in the file.
// Errors     upsweep::error with the compiler's message and the position in the source. The macro makes the source
//            one line.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace upsweep {

struct code_source {
  const char* name;
  const char* definition;
};

namespace core {

template <class F>
concept has_code_source = std::is_trivially_copyable_v<F> && sizeof(F) <= 2048 && requires {
  { upsweep_source_of(static_cast<const F*>(nullptr)) } -> std::same_as<code_source>;
};

// An object and its device source, type-erased.
struct coded_object {
  code_source source;
  const void* bytes;
  std::size_t size, align;
};
template <has_code_source F>
coded_object coded(const F& f) {
  return {upsweep_source_of(static_cast<const F*>(nullptr)), &f, sizeof(F), alignof(F)};
}

}  // namespace core
}  // namespace upsweep

#define UPSWEEP_WITH_SOURCE(name, ...)                            \
  struct name __VA_ARGS__;                                        \
  constexpr upsweep::code_source upsweep_source_of(const name*) { \
    return {#name, "struct " #name " " #__VA_ARGS__ ";"};         \
  }                                                               \
  static_assert(std::is_trivially_copyable_v<name>, "upsweep: device source needs a trivially copyable object")
