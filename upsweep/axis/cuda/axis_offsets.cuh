// Offsets of lines of one length as segments, on CUDA.
#pragma once

#include "upsweep/for_each/for_each_cuda.cuh"

namespace upsweep::cuda {

// to[s] = s · length
struct offset_of_line {
  std::uint64_t* to;
  std::uint64_t length;
  __device__ void operator()(std::uint64_t s) const { to[s] = s * length; }
};

inline void write_offsets(upsweep::device& d, std::uint64_t* to, std::uint64_t lines, std::uint64_t length) {
  for_each_index(d, lines + 1, offset_of_line{to, length});
}

}  // namespace upsweep::cuda
