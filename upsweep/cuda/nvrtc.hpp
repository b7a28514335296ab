// Compiles CUDA C++ at run time with the toolkit's NVRTC, which is loaded at its first use. No GPU is needed. Code
// that the cache on disk holds (core/compiled_code_cache.hpp) does not need NVRTC either.
#pragma once

#include <string>
#include <vector>

#include "upsweep/core/expression_literals.hpp"

namespace upsweep::cuda {

// The source files of the kernels: the build puts them into arrays, which end with a null name.
struct embedded_source {
  const char* name;  // relative to the folder that holds upsweep/, as they are included
  const char* source;
};
extern const embedded_source common_kernels[];  // shared by all algorithms; each algorithm has its own too, X_kernels

// An algorithm's kernels with a user's source in them.
struct kernel_source {
  const char* call = nullptr;                // "reduce", for errors
  const embedded_source* sources = nullptr;  // the algorithm's own files
  const embedded_source* below = nullptr;    // files of another algorithm that they include, or null
  std::string unit;                          // what is compiled: includes of those, and the device source
  std::vector<std::string> kernels;          // as CUDA C++ names their instances
};

// Kernels whose expressions' literals (core/expression_literals.hpp) are members of a variable in constant memory,
// eight bytes each, which is set when the code is loaded: the compiled code does not depend on them.
struct hoisted_kernels {
  kernel_source kernels;
  std::vector<core::literal> literals;
};
hoisted_kernels hoisted(const kernel_source&);
inline constexpr const char* literals_name = "upsweep_literals";

struct compiled_kernels {
  int compiled_for = 0;              // 90
  std::string image;                 // code of that GPU, or PTX where NVRTC does not know it
  std::vector<std::string> kernels;  // by the names they have in it
};

// Code for GPUs of that compute capability (90), from the cache on disk, or compiled and stored there. `anew`:
// ignores the cache's contents. Throws fault::bad_argument with the compiler's message and the position in the user's
// source, and fault::unsupported without NVRTC or with one that is too old for the GPU.
compiled_kernels compile(const kernel_source&, int capability, bool anew = false);

// "13.0", or empty if no NVRTC is found.
std::string nvrtc_version();

// The cache's key: everything that the code depends on, including the versions of this library, of its kernels'
// sources and of NVRTC. The cache also stores the last by the library's file, since loading NVRTC takes longer than
// reading code. If NVRTC is no longer installed, it is the version that compiled last.
std::string key_of(const kernel_source&, int capability);

}  // namespace upsweep::cuda
