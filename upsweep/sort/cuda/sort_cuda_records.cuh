// A thread for each word: a warp reads records at random positions, but each of them completely, and writes adjacent
// words.
#pragma once

#include <cstdint>

namespace upsweep::cuda {

inline constexpr int record_threads = 256;

struct records {
  const void *in, *index;
  void* out;
  std::uint64_t words;
  std::uint32_t words_a_record;
  bool wide;  // the index has numbers of 8 bytes, otherwise of 4
};

template <class Word>
__device__ void gather_words(const records& r) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * record_threads;
  const auto* const in = static_cast<const Word*>(r.in);
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * record_threads + threadIdx.x; i < r.words; i += step) {
    const std::uint64_t record = r.words_a_record == 1 ? i : i / r.words_a_record;
    const std::uint64_t from = r.wide ? __ldg(static_cast<const std::uint64_t*>(r.index) + record)
                                      : __ldg(static_cast<const std::uint32_t*>(r.index) + record);
    static_cast<Word*>(r.out)[i] = __ldg(in + (from * r.words_a_record + (i - record * r.words_a_record)));
  }
}

static __global__ void __launch_bounds__(record_threads)
    gather_records(const __grid_constant__ records r, std::uint32_t bytes) {
  switch (bytes) {
    case 16: return gather_words<uint4>(r);
    case 8: return gather_words<uint2>(r);
    case 4: return gather_words<std::uint32_t>(r);
    case 2: return gather_words<std::uint16_t>(r);
    default: return gather_words<std::uint8_t>(r);
  }
}

}  // namespace upsweep::cuda
