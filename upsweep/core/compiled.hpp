// Which compiler reads this, and whether calls are checked.
//
// UPSWEEP_CHECKED, defined before any of the headers, has contents looked at that are not looked at otherwise (ranges,
// offsets, indices and edges in device memory, and whether a comparison is one): one more pass over them, for which the
// call waits. Ranges of a range_counter are looked at where the library itself was built with it. A context made by
// with({.checked = true}) has the same done in its calls, however they were compiled.
#pragma once

// A part of every public template's name, because the same call means more in a .cu file than in a .cpp file, and
// another where calls are checked: one program's files never share a name with two bodies.
#if defined(__CUDACC__) && defined(UPSWEEP_CHECKED)
#define UPSWEEP_COMPILED compiled_by_nvcc_checked
#elif defined(__CUDACC__)
#define UPSWEEP_COMPILED compiled_by_nvcc
#elif defined(UPSWEEP_CHECKED)
#define UPSWEEP_COMPILED compiled_checked
#else
#define UPSWEEP_COMPILED compiled
#endif

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
struct this_compiler {};
#if defined(UPSWEEP_CHECKED)
inline constexpr bool checking = true;
#else
inline constexpr bool checking = false;
#endif
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
