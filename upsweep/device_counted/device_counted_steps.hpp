// Small kernels that read a count on the device. They connect the calls that device_counted.hpp makes on CUDA and
// OpenCL devices. n is min(count[0], size). Calls on the CPU do not use them.
#pragma once

#include "upsweep/core/device.hpp"

namespace upsweep::detail::device_counted_impl {

inline constexpr std::uint64_t most_bytes = 64;  // of an element

//   pad              out[i] = in[i] for i < n, else the value; size elements
//   pad_unlike_last  out[i] = in[i] for i < n, else one key that is not equal to in[n - 1]; size elements
//   take             out[i] = in[i] for i < n; the rest of out does not change
//   join             out[i] = in[i] for i < kept[1]. For kept[1] <= i < n the elements of in2 from 0 on or, `behind`,
//                    from kept[0] on
//   correct          out[0] (u64) = in[0] minus the count of the padding: size - n if each padded element was counted,
//                    1 if all of them were counted as one and size > n
// in and out may be the same memory in `correct` alone.
enum class step_kind : std::uint8_t { pad, pad_unlike_last, take, join, correct };

struct step {
  step_kind what = step_kind::take;
  memory in, in2, out, count, kept;
  std::uint64_t size = 0;
  std::uint32_t word_bytes = 4, words = 1;          // an element: `words` words of 1, 2, 4 or 8 bytes
  alignas(8) unsigned char value[most_bytes] = {};  // pad
  bool behind = false;                              // join
  bool each = false;                                // correct
};

// Enqueued.
void run(device&, const step&);

void run_cuda(device&, const step&);
void run_opencl(device&, const step&);

}  // namespace upsweep::detail::device_counted_impl
