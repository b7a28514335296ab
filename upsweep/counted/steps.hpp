// What counted.hpp joins calls by on CUDA and OpenCL devices: small kernels that read a count on the device. n is
// min(count[0], size). CPU calls need none of them.
#pragma once

#include "upsweep/core/device.hpp"

namespace upsweep::counted_room {

inline constexpr std::uint64_t most_bytes = 64;  // of an element

//   pad              out[i] = in[i] for i < n, else the value; size elements
//   pad_unlike_last  out[i] = in[i] for i < n, else one key that is not equal to in[n - 1]; size elements
//   take             out[i] = in[i] for i < n; the rest of out is left as it is
//   join             out[i] = in[i] for i < kept[1], and for kept[1] <= i < n what in2 has from 0 on or, `behind`, from
//                    kept[0]
//   correct          out[0] (u64) = in[0] less what the padding added to it: size - n where each padded element was
//                    counted, 1 where all of them were as one, and there were some
// in and out may be the same memory in `correct` alone.
enum class step_kind : std::uint8_t { pad, pad_unlike_last, take, join, correct };

struct step {
  step_kind what = step_kind::take;
  memory in, in2, out, count, kept;
  std::uint64_t size = 0;
  std::uint32_t word_bytes = 4, words = 1;          // an element: 1, 2, 4 or 8 bytes, so many times
  alignas(8) unsigned char value[most_bytes] = {};  // pad
  bool behind = false;                              // join
  bool each = false;                                // correct
};

// Enqueued.
void run(device&, const step&);

void run_cuda(device&, const step&);
void run_opencl(device&, const step&);

}  // namespace upsweep::counted_room
