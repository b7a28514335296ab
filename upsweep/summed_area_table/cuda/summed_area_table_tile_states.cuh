// Sums along a line of tiles, passed on through memory. Each tile first publishes the sum of its own elements, and
// later, in the same place, the sum of all tiles up to and including itself. A tile that needs the sum of all tiles
// before it looks back, several tiles at a time, to the nearest that has published its second sum, and adds forward
// from there. Float sums are grouped in the same way whichever of the two sums was read.
//
// As in upsweep/cuda/tile_state.cuh, each 64-bit word has 32 bits of a value and a tag that no earlier launch has used;
// here the tag says which of the two sums it is, too.
#pragma once

#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda {

enum class published : std::uint32_t { own, whole, nothing };  // the first two are the last bit of the tag

// 31 bits of the launch's epoch: when they have all been used, all words are cleared and epochs begin again.
inline constexpr std::uint32_t last_epoch_of_sums = 0x7fffffff;

struct published_sums {
  tagged_words words;
  std::uint32_t epoch;

  template <class Sum>
  __device__ void publish(std::uint64_t index, published what, const Sum& sum) const {
    words.store(index, epoch << 1 | static_cast<std::uint32_t>(what), sum);
  }

  // No branch, so that several may be under way together.
  template <class Sum>
  __device__ published look(std::uint64_t index, Sum& sum) const {
    constexpr int count = words_of<Sum>::count;
    static_assert(count <= 2);
    may_doze();
    const std::uint64_t* const from = words.words + index * count;
    std::uint64_t word[2];
    if constexpr (count == 2) {
      asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(word[0]), "=l"(word[1])
                   : "l"(from)
                   : "memory");
    } else {
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word[0]) : "l"(from) : "memory");
      word[1] = word[0];
    }
    words_of<Sum> w;
#pragma unroll
    for (int i = 0; i < count; ++i) w.word[i] = static_cast<std::uint32_t>(word[i]);
    sum = w.join();
    const auto tag = static_cast<std::uint32_t>(word[0] >> 32);
    return tag >> 1 == epoch && tag == static_cast<std::uint32_t>(word[1] >> 32) ? static_cast<published>(tag & 1)
                                                                                 : published::nothing;
  }

  template <class Sum>
  __device__ published wait(std::uint64_t index, Sum& sum) const {
    published what;
    do what = look(index, sum);
    while (what == published::nothing);
    return what;
  }

  // Waits until the place has been published. Acquire: everything that the publisher wrote before is visible
  // afterwards.
  template <class Sum>
  __device__ void await(std::uint64_t index) const {
    const std::uint64_t* const at = words.words + index * words_of<Sum>::count;
    std::uint64_t word;
    do asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(at) : "memory");
    while (static_cast<std::uint32_t>(word >> 33) != epoch);
  }

  // The sum of the first `before` tiles of a line, one at least; tile i's place is first + i · step. The line's first
  // tile publishes only `whole`.
  template <class Sum>
  __device__ Sum sum_before(std::uint64_t first, std::uint64_t step, std::uint64_t before) const {
    constexpr int window = 4;
    Sum seen[window];
    published what[window];
    std::uint64_t near = before;  // of the window: tiles near - 1, near - 2, …
    int found = window;           // the first of them that tells of all
    const auto index = [&](int k) { return first + (near > static_cast<std::uint64_t>(k) ? near - 1 - k : 0) * step; };
    for (;; near -= window) {
#pragma unroll
      for (int k = 0; k < window; ++k) what[k] = look(index(k), seen[k]);
#pragma unroll
      for (int k = 0; k < window; ++k) {
        if (found != window) continue;
        if (what[k] == published::nothing) what[k] = wait(index(k), seen[k]);
        if (what[k] == published::whole) found = k;
      }
      if (found != window) break;
    }
    Sum sum{};
#pragma unroll
    for (int k = window - 1; k >= 0; --k) {
      if (k == found) sum = seen[k];
      if (k < found) sum += seen[k];
    }
    // The tiles nearer than the last window, again in order; all of them have published.
    while (near != before) {
      near += window;
#pragma unroll
      for (int k = 0; k < window; ++k) what[k] = look(index(k), seen[k]);
#pragma unroll
      for (int k = window - 1; k >= 0; --k) {
        if (what[k] == published::nothing) what[k] = wait(index(k), seen[k]);
        sum = what[k] == published::whole ? seen[k] : sum + seen[k];
      }
    }
    return sum;
  }
};

// One thread of a launch's blocks calls this for its block, when that has drawn its ticket and reads no more.
__device__ inline void leave(launch_control* control, unsigned int blocks, published_sums sums) {
  control->leave(blocks, sums.epoch == last_epoch_of_sums ? ~0u : sums.epoch, sums.words);
}

}  // namespace upsweep::cuda
