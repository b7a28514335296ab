// Macros that depend on the compiler of the current file (nvcc, NVRTC or another), and whether calls are checked.
//
// UPSWEEP_CHECKED, defined before any header is included, enables checks of ranges, offsets, indices and edges in
// device memory, and of comparators (strict weak order). A check is one more pass over the contents, and the call waits
// for it. A range_counter checks ranges if the library was built with it. Of one context: with({.checked = true}).
#pragma once

// An inline namespace of every public template. A template has different bodies in .cu and .cpp files, and in checked
// and unchecked code. The namespace gives each body its own name, as the one-definition rule requires.
#if defined(__CUDACC__) && defined(UPSWEEP_CHECKED)
#define UPSWEEP_COMPILED compiled_by_nvcc_checked
#elif defined(__CUDACC__)
#define UPSWEEP_COMPILED compiled_by_nvcc
#elif defined(UPSWEEP_CHECKED)
#define UPSWEEP_COMPILED compiled_checked
#else
#define UPSWEEP_COMPILED compiled
#endif

// Marks functions that host and device code call.
#if defined(__CUDACC__)
#define UPSWEEP_HD __host__ __device__
#else
#define UPSWEEP_HD
#endif

// Marks functions that only UPSWEEP_HD functions call. nvcc's device pass needs them for the device only.
#if defined(__CUDA_ARCH__)
#define UPSWEEP_THIS_SIDE __device__
#else
#define UPSWEEP_THIS_SIDE UPSWEEP_HD
#endif

namespace upsweep::inline UPSWEEP_COMPILED {
struct this_compiler {};
#if defined(UPSWEEP_CHECKED)
inline constexpr bool checking = true;
#else
inline constexpr bool checking = false;
#endif
}  // namespace upsweep::inline UPSWEEP_COMPILED
