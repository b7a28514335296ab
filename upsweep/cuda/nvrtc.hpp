// CUDA C++ compiled where the program runs, by the toolkit's NVRTC, which is loaded when it is first asked for. No GPU
// is needed. What the cache on disk has (core/code_cache.hpp) does without NVRTC, too.
#pragma once

#include <string>
#include <vector>

namespace upsweep::cuda {

// The files that kernels are made of as text: the build puts them into arrays, which end with a null name.
struct embedded_source {
  const char* name;  // relative to the folder that holds upsweep/, as they are included
  const char* text;
};
extern const embedded_source common_kernels[];  // what all rooms have; each has its own besides, X_kernels

// A room's kernels with a user's texts in them.
struct kernel_text {
  const char* call = nullptr;                // "reduce", for errors
  const embedded_source* sources = nullptr;  // the room's own files
  const embedded_source* below = nullptr;    // ... and those of a room below it that they include, or none
  std::string unit;                          // what is compiled: includes of those, and the texts
  std::vector<std::string> kernels;          // as CUDA C++ names their instances
};

struct compiled_kernels {
  int compiled_for = 0;              // 90
  std::string image;                 // code of that GPU, or PTX where NVRTC does not know it
  std::vector<std::string> kernels;  // by the names they have in it
};

// For GPUs of that compute capability (90): from the cache on disk, or compiled and put there. `anew`: what the cache
// holds is not asked. Throws fault::bad_argument with the compiler's message and the place in the user's text, and
// fault::unsupported where there is no NVRTC, or one that is too old for the GPU.
compiled_kernels compile(const kernel_text&, int capability, bool anew = false);

// "13.0", or nothing where no NVRTC is found.
std::string nvrtc_version();

// All that the code depends on, in full: what the cache finds it by. Versions of this library, of its kernels' sources
// and of NVRTC are in it; the latter's is noted in the cache, too, by the library's file, since to load it takes longer
// than to read code. Where there is none any more, it is the version that compiled last.
std::string key_of(const kernel_text&, int capability);

}  // namespace upsweep::cuda
