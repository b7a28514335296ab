#include "upsweep/sort/cpu/sort_permute.hpp"

#include <algorithm>
#include <cstring>

#include "upsweep/cpu/block_partition.hpp"

namespace upsweep::cpu {

namespace {

inline constexpr std::uint64_t block = 1 << 14;

template <class Index, class Move>
void gather(upsweep::device& d, const Index* index, std::uint64_t n, const Move& move) {
  for_each_block(d, block_count(n, block), [&](std::uint64_t b, const stop_flag&) {
    for (std::uint64_t i = b * block, end = std::min(n, i + block); i < end; ++i) move(index[i], i);
  });
}

template <class Index>
void fetch_bytes(upsweep::device& d, const char* in, std::uint64_t bytes, const Index* index, std::uint64_t n,
                 char* out) {
  switch (bytes) {  // a copy of a size known to the compiler is a few instructions
    case 1: return gather(d, index, n, [=](std::uint64_t from, std::uint64_t to) { out[to] = in[from]; });
    case 2:
      return gather(d, index, n,
                    [=](std::uint64_t from, std::uint64_t to) { std::memcpy(out + 2 * to, in + 2 * from, 2); });
    case 4:
      return gather(d, index, n,
                    [=](std::uint64_t from, std::uint64_t to) { std::memcpy(out + 4 * to, in + 4 * from, 4); });
    case 8:
      return gather(d, index, n,
                    [=](std::uint64_t from, std::uint64_t to) { std::memcpy(out + 8 * to, in + 8 * from, 8); });
    case 16:
      return gather(d, index, n,
                    [=](std::uint64_t from, std::uint64_t to) { std::memcpy(out + 16 * to, in + 16 * from, 16); });
    default:
      return gather(d, index, n, [=](std::uint64_t from, std::uint64_t to) {
        std::memcpy(out + bytes * to, in + bytes * from, bytes);
      });
  }
}

}  // namespace

void permute(upsweep::device& d, const void* in, std::uint64_t element_bytes, const void* index,
             std::uint64_t index_bytes, std::uint64_t n, void* out) {
  const std::uint64_t bytes = n * element_bytes;
  if (in == out) {
    const memory copy = d.scratch("sort/values", bytes);
    d.copy(copy, {const_cast<void*>(in), 0}, bytes);
    in = copy.address();
  }
  const char* from = static_cast<const char*>(in);
  if (index_bytes == 4)
    fetch_bytes(d, from, element_bytes, static_cast<const std::uint32_t*>(index), n, static_cast<char*>(out));
  else
    fetch_bytes(d, from, element_bytes, static_cast<const std::uint64_t*>(index), n, static_cast<char*>(out));
}

}  // namespace upsweep::cpu
