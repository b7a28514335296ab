// How many elements the first groups have, which a stable partition into one array needs before it can write. One
// launch. It reads every element once, the last ones first, so that the elements still in the second-level cache are
// those that the partition reads first.
#pragma once

#include "upsweep/select/cuda/select_compact.cuh"

namespace upsweep::cuda {

struct count_state {
  unsigned long long running[2];
  unsigned long long total[2];
  unsigned int blocks_done;
};

inline constexpr int count_threads = 256, count_pieces = 4;

template <class T, class Group>
__global__ void __launch_bounds__(count_threads) count_groups(const T* in, const std::uint8_t* flags, std::uint64_t n,
                                                              bool aligned, const Group group, count_state* state) {
  constexpr int element = Group::reads_flags ? 1 : sizeof(T);
  constexpr int per_piece = 16 % element == 0 ? 16 / element : 1;
  using counted = std::conditional_t<Group::reads_flags, std::uint8_t, T>;
  const std::uint64_t pieces = aligned ? n / per_piece : 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * count_threads,
                      me = std::uint64_t{blockIdx.x} * count_threads + threadIdx.x;
  const counted* from;
  if constexpr (Group::reads_flags) {
    from = flags;
  } else {
    from = in;
  }
  std::uint64_t firsts = 0, seconds = 0;
  const auto count = [&](const counted& x) {
    int g;
    if constexpr (Group::reads_flags) {
      g = group(T{}, T{}, false, x);
    } else {
      g = group(x, x, false, 0);
    }
    firsts += g == 0;
    if constexpr (Group::groups == 3) seconds += g == 1;
  };
  if constexpr (16 % element == 0) {
    for (std::uint64_t p = me; p < pieces; p += step * count_pieces) {
      uint4 piece[count_pieces];
#pragma unroll
      for (int k = 0; k < count_pieces; ++k)
        if (p + k * step < pieces) piece[k] = reinterpret_cast<const uint4*>(from)[pieces - 1 - (p + k * step)];
#pragma unroll
      for (int k = 0; k < count_pieces; ++k)
        if (p + k * step < pieces) {
          counted x[per_piece];
          memcpy(x, &piece[k], 16);
#pragma unroll
          for (int i = 0; i < per_piece; ++i) count(x[i]);
        }
    }
  }
  for (std::uint64_t i = (16 % element == 0 ? pieces * per_piece : 0) + me; i < n; i += step) count(from[i]);

  __shared__ unsigned long long block[2];
  if (threadIdx.x < 2) block[threadIdx.x] = 0;
  __syncthreads();  // the sums are zero
  // 32 bits are enough for a thread of a full grid up to 2^50 elements; more would not fit the device.
  const std::uint32_t warp_firsts = warp_sum(static_cast<std::uint32_t>(firsts));
  if (threadIdx.x % warp_size == 0) atomicAdd(&block[0], static_cast<unsigned long long>(warp_firsts));
  if constexpr (Group::groups == 3) {
    const std::uint32_t warp_seconds = warp_sum(static_cast<std::uint32_t>(seconds));
    if (threadIdx.x % warp_size == 0) atomicAdd(&block[1], static_cast<unsigned long long>(warp_seconds));
  }
  __syncthreads();  // every warp has added
  if (threadIdx.x != 0) return;
  atomicAdd(&state->running[0], block[0]);
  if constexpr (Group::groups == 3) atomicAdd(&state->running[1], block[1]);
  __threadfence();  // this block's sums are in before it says so
  if (atomicAdd(&state->blocks_done, 1u) != gridDim.x - 1) return;
  __threadfence();
  state->blocks_done = 0;
  state->total[0] = atomicExch(&state->running[0], 0ull);
  if constexpr (Group::groups == 3) state->total[1] = atomicExch(&state->running[1], 0ull);
}

#if !defined(__CUDACC_RTC__)  // the host's side

// Enqueues the count and returns the address of its result.
template <class T, class Group>
const std::uint64_t* count_into_scratch(device& d, const T* in, const std::uint8_t* flags, std::uint64_t n,
                                        Group group) {
  count_state* const state = d.scratch("select/cuda/count", sizeof(count_state)).as<count_state>();
  const void* from = Group::reads_flags ? static_cast<const void*>(flags) : in;
  const bool aligned = reinterpret_cast<std::uintptr_t>(from) % 16 == 0;
  const std::uint64_t wanted = (n + 4095) / 4096;
  const std::uint64_t blocks = std::min<std::uint64_t>(wanted, std::uint64_t{8} * d.multiprocessors());
  count_groups<<<static_cast<unsigned>(blocks), count_threads, 0, d.stream()>>>(in, flags, n, aligned, group, state);
  check(cudaGetLastError(), "partition on cuda");
  return reinterpret_cast<const std::uint64_t*>(&state->total[0]);
}

#endif

}  // namespace upsweep::cuda
