// Function objects whose whole definition travels as text, so that for_each_index and recur run them on CUDA from files
// that nvcc does not compile: NVRTC compiles the library's own kernels with it. The object's members travel as bytes,
// addresses of device memory among them.
//
//   UPSWEEP_WITH_TEXT(doubled, {
//     float* data;
//     UPSWEEP_HD void operator()(std::uint64_t i) const { data[i] *= 2; }
//   });
//   upsweep::for_each_index(gpu, n, doubled{x.span().data()});
//
// defines struct doubled as it stands there, in any namespace but not in a function, and its text beside it. The text
// is CUDA C++, compiled by itself: the standard's numbers of a fixed width, <type_traits> and <concepts> are there,
// upsweep's operators.hpp, half.hpp and, of for_each_index, for_each/least.hpp, and OpenCL C's words as
// opencl/custom.hpp says; nothing else of the file, and no # at the beginning of a line. What needs more than one
// definition gives its text by itself:
//
//   constexpr upsweep::code_text upsweep_text_of(const doubled*) { return {"doubled", "struct pair { … }; struct …"}; }
//
// Requires   a trivially copyable type of at most 2 KiB, which the text lays out as the file does.
// Errors     upsweep::error with the compiler's message and the place in the text, which is one line where the macro
//            made it.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace upsweep {

struct code_text {
  const char* name;
  const char* definition;
};

namespace core {

template <class F>
concept has_code_text = std::is_trivially_copyable_v<F> && sizeof(F) <= 2048 && requires {
  { upsweep_text_of(static_cast<const F*>(nullptr)) } -> std::same_as<code_text>;
};

// An object and its text, erased.
struct coded_object {
  code_text text;
  const void* bytes;
  std::size_t size, align;
};
template <has_code_text F>
coded_object coded(const F& f) {
  return {upsweep_text_of(static_cast<const F*>(nullptr)), &f, sizeof(F), alignof(F)};
}

}  // namespace core
}  // namespace upsweep

#define UPSWEEP_WITH_TEXT(name, ...)                                                                                  \
  struct name __VA_ARGS__;                                                                                            \
  constexpr upsweep::code_text upsweep_text_of(const name*) { return {#name, "struct " #name " " #__VA_ARGS__ ";"}; } \
  static_assert(std::is_trivially_copyable_v<name>, "upsweep: what travels as text and bytes is trivially copyable")
