// Stable ranks of keys by a digit: the lanes of a warp with equal digit values, and the position of a warp's next key
// of each value.
#pragma once

#include "upsweep/cuda/warp.cuh"
#include "upsweep/sort/cuda/sort_cuda_order.cuh"

namespace upsweep::cuda {

// The lanes that hold the same value of `Bits` bits from bit `First` on: one vote a bit, in assembly for the three
// instructions that each takes. (match_any is slower.)
template <int Bits, int First = 0>
__device__ std::uint32_t lanes_with(std::uint32_t value) {
  std::uint32_t same = whole_warp;
#pragma unroll
  for (int b = 0; b < Bits; ++b) {
    std::uint32_t votes;
    asm volatile(
        "{\n"
        ".reg .pred clear;\n"
        ".reg .b32 bit;\n"
        "and.b32 bit, %1, %2;\n"
        "setp.eq.u32 clear, bit, 0;\n"
        "vote.sync.ballot.b32 %0, clear, 0xffffffff;\n"
        "@!clear not.b32 %0, %0;\n"
        "}"
        : "=r"(votes)
        : "r"(value), "r"(1u << (First + b)));
    same &= votes;
  }
  return same;
}

// Like lanes_with(), with one more instruction a bit, but only one predicate at a time: in a loop that is not
// unrolled ptxas can run out of predicates.
template <int Bits>
__device__ std::uint32_t lanes_alike(std::uint32_t value) {
  std::uint32_t differ = 0;
#pragma unroll
  for (int b = 0; b < Bits; ++b)
    asm volatile(
        "{\n"
        ".reg .pred set;\n"
        ".reg .b32 bit, votes, mine;\n"
        "and.b32 bit, %1, %2;\n"
        "setp.ne.u32 set, bit, 0;\n"
        "vote.sync.ballot.b32 votes, set, 0xffffffff;\n"
        "selp.b32 mine, -1, 0, set;\n"
        "lop3.b32 %0, %0, votes, mine, 0xf6;\n"
        "}"
        : "+r"(differ)
        : "r"(value), "r"(1u << b));
  return ~differ;
}

__device__ inline std::uint32_t lanes_below() {
  std::uint32_t mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

// Called by a whole warp. Returns the position of each lane's key; next[value] is the position of the warp's next key
// of that value. Lanes are taken in order, so ranks are stable.
__device__ inline std::uint32_t take_place(std::uint32_t* next, std::uint32_t value, std::uint32_t below) {
  const std::uint32_t same = lanes_with<digit_bits>(value);
  const std::uint32_t place = next[value] + __popc(same & below);
  __syncwarp();  // every lane has read before the last of each value writes
  if ((same & ~below) == (below + 1)) next[value] = place + 1;
  __syncwarp();  // written before the warp's next keys are placed
  return place;
}

// Like take_place(), with the counter's address in shared memory and the lanes of the same value already known.
__device__ inline std::uint32_t take_place_at(std::uint32_t counter, std::uint32_t same, std::uint32_t below) {
  std::uint32_t place;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(place) : "r"(counter) : "memory");
  place += __popc(same & below);
  __syncwarp();  // every lane has read before the last of each value writes
  if ((same & ~below) == (below + 1)) asm volatile("st.shared.u32 [%0], %1;" ::"r"(counter), "r"(place + 1) : "memory");
  __syncwarp();  // written before the warp's next keys are placed
  return place;
}

__device__ inline void count_at(std::uint32_t counter) {
  asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(counter) : "memory");
}

}  // namespace upsweep::cuda
