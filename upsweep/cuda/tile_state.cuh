// Values that blocks of one launch hand to each other through memory, without fences and without ever clearing it.
//
// Each 64-bit word carries 32 bits of a value and the launch's epoch. One word is written and read whole, so a reader
// that sees the epoch in every word of a value has the value. Epochs count launches; the last block of a launch to
// leave moves the epoch on, so the host needs to know nothing and a captured graph may be replayed.
#pragma once

#include "upsweep/cuda/warp.cuh"
#if !defined(__CUDACC_RTC__)
#include <utility>

#include "upsweep/cuda/cuda_device.hpp"
#endif

namespace upsweep::cuda {

struct tagged_words {
  std::uint64_t* words;
  std::uint64_t capacity;

  template <class T>
  __host__ __device__ static constexpr std::uint64_t bytes_for(std::uint64_t values) {
    return values * words_of<T>::count * sizeof(std::uint64_t);
  }

  template <class T>
  __device__ void store(std::uint64_t index, std::uint32_t epoch, const T& value) const {
    may_doze();
    const auto w = words_of<T>::split(value);
    std::uint64_t* to = words + index * words_of<T>::count;
#pragma unroll
    for (int i = 0; i < words_of<T>::count; ++i) {
      const std::uint64_t word = static_cast<std::uint64_t>(epoch) << 32 | w.word[i];
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to + i), "l"(word) : "memory");
    }
  }

  // Whether the value of this epoch is there; if so it is in `value`.
  template <class T>
  __device__ bool try_load(std::uint64_t index, std::uint32_t epoch, T& value) const {
    may_doze();
    constexpr int count = words_of<T>::count;
    const std::uint64_t* from = words + index * count;
    std::uint64_t word[count];
    if constexpr (count == 2) {
      asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(word[0]), "=l"(word[1])
                   : "l"(from)
                   : "memory");
    } else {
#pragma unroll
      for (int i = 0; i < count; ++i)
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word[i]) : "l"(from + i) : "memory");
    }
    words_of<T> w;
    bool here = true;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      w.word[i] = static_cast<std::uint32_t>(word[i]);
      here = here && word[i] >> 32 == epoch;
    }
    if (here) value = w.join();
    return here;
  }

  template <class T>
  __device__ T wait(std::uint64_t index, std::uint32_t epoch) const {
    T value;
    while (!try_load(index, epoch, value)) {
    }
    return value;
  }
};

// Zeroed once, then kept by the launches themselves: tickets from 0 in each, and the number of launches that have
// ended.
struct launch_control {
  unsigned long long ticket;
  unsigned int blocks_left_behind;  // blocks that have left the present launch
  unsigned int epoch;               // of the launch before

  // Of this launch. A warp that has no use for it may still read it while the last block moves it on: hence strong.
  __device__ unsigned int this_epoch() const {
    unsigned int before;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(before) : "l"(&epoch) : "memory");
    return before + 1;
  }

  // One thread of a block, when the block has drawn its last ticket and reads no more tagged words.
  __device__ void leave(unsigned int blocks, unsigned int ended, tagged_words words) {
    may_doze();
    // Relaxed: what the last block writes here is read by the next launch, which starts after this one has ended.
    if (atomicAdd(&blocks_left_behind, 1u) != blocks - 1) return;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&ticket), "l"(std::uint64_t{0}) : "memory");
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(&blocks_left_behind), "r"(0) : "memory");
    end_epoch(ended, words);
  }

  // One thread of the launch, once every block has read the epoch.
  __device__ void end_epoch(unsigned int ended, tagged_words words) {
    if (ended == ~0u) {  // once in four thousand million launches the epochs begin again, and no old word may look new
      for (std::uint64_t i = 0; i < words.capacity; ++i) words.words[i] = 0;
      ended = 0;
    }
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(&epoch), "r"(ended) : "memory");
  }
};

#if !defined(__CUDACC_RTC__)  // the host's side

// The control and the words for `values` tagged values, in scratch of that name. They share one allocation, so that
// they are new together.
template <class T>
std::pair<launch_control*, tagged_words> launch_state(device& d, const char* name, std::uint64_t values) {
  constexpr std::uint64_t head = 256;
  const std::uint64_t bytes = head + tagged_words::bytes_for<T>(values);
  const memory m = d.scratch(name, bytes);
  return {m.as<launch_control>(), {m.plus_bytes(head).as<std::uint64_t>(), (bytes - head) / sizeof(std::uint64_t)}};
}

#endif

}  // namespace upsweep::cuda
