// Copies from shared memory to any position in global memory: a warp's stores begin at whole lines, and narrow
// elements are written four bytes at a time.
#pragma once

#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

// Elements of 1 or 2 bytes as words: each word of the destination is combined from two words of the source.
template <int Threads>
__device__ void copy_out_bytes(const unsigned char* from, int bytes, unsigned char* to, int thread) {
  int head = static_cast<int>(-reinterpret_cast<std::uintptr_t>(to) & 3);
  if (head > bytes) head = bytes;
  const unsigned char* source = from + head;
  const int words = (bytes - head) / 4, tail = head + 4 * words;
  if (thread < head) to[thread] = from[thread];
  if (tail + thread < bytes && thread < 4) to[tail + thread] = from[tail + thread];
  auto* const to_words = reinterpret_cast<std::uint32_t*>(to + head);
  const int lead = static_cast<int>(reinterpret_cast<std::uintptr_t>(to_words) / 4 % warp_size);
  const unsigned shift = 8 * static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(source) & 3);
  const auto* words_of_source = reinterpret_cast<const std::uint32_t*>(source - shift / 8);
  for (int i = thread - lead; i < words; i += Threads)
    if (i >= 0) {
      const std::uint32_t low = words_of_source[i], high = shift == 0 ? 0 : words_of_source[i + 1];
      to_words[i] = __funnelshift_r(low, high, shift);
    }
}

template <int Threads, class T>
__device__ void copy_out(const T* from, int count, T* to, int thread) {
  if constexpr (sizeof(T) < 4 && 4 % sizeof(T) == 0) {
    copy_out_bytes<Threads>(reinterpret_cast<const unsigned char*>(from), count * static_cast<int>(sizeof(T)),
                            reinterpret_cast<unsigned char*>(to), thread);
  } else {
    constexpr int a_line = sizeof(T) < 128 ? 128 / sizeof(T) : 1;
    const int lead = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % a_line);
    for (int i = thread - lead; i < count; i += Threads)
      if (i >= 0) to[i] = from[i];
  }
}

}  // namespace upsweep::cuda
