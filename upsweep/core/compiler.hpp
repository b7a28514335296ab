// The compiler of the current file (nvcc or another), and whether calls are checked.
//
// UPSWEEP_CHECKED, defined before any header is included, enables checks of ranges, offsets, indices and edges in
// device memory, and of comparators (strict weak order). A check is one more pass over the contents, and the call waits
// for it. Ranges of a range_counter are checked if the library itself was built with UPSWEEP_CHECKED. A context from
// with({.checked = true}) enables the checks for its calls, however they were compiled.
#pragma once

// An inline namespace of every public template. The templates have different bodies in .cu and .cpp files, and in
// checked and unchecked code; the namespace gives each body its own name, which avoids violations of the one-definition
// rule.
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
