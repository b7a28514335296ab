// Copies many pieces at once: threads divide the elements of all pieces, so that no piece is too long.
#pragma once

#include <algorithm>

#include "upsweep/cpu/block_partition.hpp"

namespace upsweep::cpu {

// ends[p] = lengths[0] + … + lengths[p]; their sum is returned.
template <class Length>
std::uint64_t ends_of(upsweep::device& d, const Length* lengths, std::uint64_t n, std::uint64_t* ends) {
  constexpr std::uint64_t block = 1 << 14;
  const std::uint64_t blocks = block_count(n, block);
  block_values<std::uint64_t> before(d, "select/sums of blocks", blocks + 1, 0);
  const auto end_of = [&](std::uint64_t b) { return (std::min)(n, (b + 1) * block); };
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
    std::uint64_t sum = 0;
    for (std::uint64_t p = b * block; p < end_of(b); ++p) sum += lengths[p];
    before[b + 1] = sum;
  });
  before[0] = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) before[b + 1] += before[b];
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
    std::uint64_t sum = before[b];
    for (std::uint64_t p = b * block; p < end_of(b); ++p) ends[p] = sum += lengths[p];
  });
  return before[blocks];
}

// Copies n pieces: lengths[p] elements from from(p, index of the piece's first element in all) to to(p, …).
template <class From, class To, class Length>
void batched_copy(upsweep::device& d, const Length* lengths, std::uint64_t n, const From& from, const To& to) {
  auto* const ends = d.scratch("select/ends", (n + 1) * sizeof(std::uint64_t)).as<std::uint64_t>();
  const std::uint64_t total = ends_of(d, lengths, n, ends);
  constexpr std::uint64_t block = 1 << 14;
  for_each_block(d, block_count(total, block), [&](std::uint64_t b, const stop_flag&) {
    std::uint64_t at = b * block;
    const std::uint64_t end = (std::min)(total, at + block);
    for (auto p = static_cast<std::uint64_t>(std::upper_bound(ends, ends + n, at) - ends); at < end; ++p) {
      const std::uint64_t first = ends[p] - lengths[p], count = (std::min)(ends[p], end) - at;
      std::copy_n(from(p, first) + (at - first), count, to(p, first) + (at - first));
      at += count;
    }
  });
}

}  // namespace upsweep::cpu
