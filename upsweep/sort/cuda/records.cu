// A thread for each word: a warp reads records at random places, but each of them whole, and writes its words side by
// side.
#include <algorithm>

#include "upsweep/cuda/device.hpp"
#include "upsweep/sort/records.hpp"

namespace upsweep::sort_room {

namespace {

constexpr int threads = 256;

// The index has numbers of 4 bytes or, wide, of 8.
template <class Word>
__global__ void gather_words(const Word* __restrict__ in, const void* __restrict__ index, bool wide,
                             Word* __restrict__ out, std::uint64_t words, std::uint32_t words_a_record) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * threads;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x; i < words; i += step) {
    const std::uint64_t record = words_a_record == 1 ? i : i / words_a_record;
    const std::uint64_t from =
        wide ? static_cast<const std::uint64_t*>(index)[record] : static_cast<const std::uint32_t*>(index)[record];
    out[i] = in[from * words_a_record + (i - record * words_a_record)];
  }
}

template <class Word>
void enqueue(cuda::device& d, memory in, std::uint64_t record_bytes, memory index, std::uint32_t index_bytes,
             std::uint64_t n, memory out) {
  const auto words_a_record = static_cast<std::uint32_t>(record_bytes / sizeof(Word));
  const std::uint64_t words = n * words_a_record, wanted = (words + threads - 1) / threads;
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(wanted, std::uint64_t{64} * d.multiprocessors()));
  gather_words<<<blocks, threads, 0, d.stream()>>>(in.as<const Word>(), index.address(), index_bytes == 8,
                                                   out.as<Word>(), words, words_a_record);
  cuda::check(cudaGetLastError(), "values of a sort on cuda");
}

}  // namespace

void gather_records_on_cuda(device& where, memory in, std::uint64_t record_bytes, memory index,
                            std::uint32_t index_bytes, std::uint64_t n, memory out) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  const auto place = reinterpret_cast<std::uintptr_t>(in.address()) | reinterpret_cast<std::uintptr_t>(out.address());
  switch (word_of_records(record_bytes, place, 16)) {
    case 16: return enqueue<uint4>(d, in, record_bytes, index, index_bytes, n, out);
    case 8: return enqueue<uint2>(d, in, record_bytes, index, index_bytes, n, out);
    case 4: return enqueue<std::uint32_t>(d, in, record_bytes, index, index_bytes, n, out);
    case 2: return enqueue<std::uint16_t>(d, in, record_bytes, index, index_bytes, n, out);
    default: return enqueue<std::uint8_t>(d, in, record_bytes, index, index_bytes, n, out);
  }
}

}  // namespace upsweep::sort_room
