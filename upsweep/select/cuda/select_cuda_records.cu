// A thread for each word of the elements: a warp reads, or writes, elements at any positions, but each of them
// completely.
#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/select/select_records.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep::cuda {

namespace {

constexpr int threads = 256;

struct moved_words {
  const void *in, *index;
  const std::uint8_t* flags;  // null: all
  void* out;
  std::uint64_t words;
  std::uint32_t words_an_element;
  bool wide, gathers;  // wide: the index has numbers of 8 bytes, otherwise of 4
};

template <class Word>
__device__ void move_each(const moved_words& m) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * threads;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x; i < m.words; i += step) {
    const std::uint64_t element = i / m.words_an_element, word = i - element * m.words_an_element;
    if (m.flags != nullptr && m.flags[element] == 0) continue;
    const std::uint64_t place = m.wide ? static_cast<const std::uint64_t*>(m.index)[element]
                                       : static_cast<const std::uint32_t*>(m.index)[element];
    const std::uint64_t other = place * m.words_an_element + word;
    static_cast<Word*>(m.out)[m.gathers ? i : other] = static_cast<const Word*>(m.in)[m.gathers ? other : i];
  }
}

__global__ void __launch_bounds__(threads) move_records(const __grid_constant__ moved_words m, std::uint32_t bytes) {
  switch (bytes) {
    case 16: return move_each<uint4>(m);
    case 8: return move_each<uint2>(m);
    case 4: return move_each<std::uint32_t>(m);
    case 2: return move_each<std::uint16_t>(m);
    default: return move_each<std::uint8_t>(m);
  }
}

}  // namespace

}  // namespace upsweep::cuda

namespace upsweep::detail::select_impl {

void move_records_on_cuda(device& where, const moved_records& r) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  const auto place =
      reinterpret_cast<std::uintptr_t>(r.in.address()) | reinterpret_cast<std::uintptr_t>(r.out.address());
  const auto bytes = static_cast<std::uint32_t>(detail::sort_impl::word_of_records(r.bytes, place, 16));
  const auto words_an_element = static_cast<std::uint32_t>(r.bytes / bytes);
  const cuda::moved_words m{r.in.address(),
                            r.index.address(),
                            r.flags.base == nullptr ? nullptr : r.flags.as<const std::uint8_t>(),
                            r.out.address(),
                            r.n * words_an_element,
                            words_an_element,
                            r.index_bytes == 8,
                            r.gathers};
  const std::uint64_t wanted = (m.words + cuda::threads - 1) / cuda::threads;
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(wanted, std::uint64_t{64} * d.multiprocessors()));
  cuda::move_records<<<blocks, cuda::threads, 0, d.stream()>>>(m, bytes);
  cuda::check(cudaGetLastError(), "elements moved by index on cuda");
}

}  // namespace upsweep::detail::select_impl
