// The exchange of small arrays in host memory: a rank receives the parts of all ranks, in order.
#pragma once

#include <span>
#include <vector>

#include "upsweep/communicator/communicator_distributed.hpp"
#include "upsweep/communicator/communicator_ranks.hpp"

namespace upsweep::core {

template <class X>
struct said_by_all {
  std::vector<X> all;
  std::vector<std::uint64_t> offsets;
  std::span<const X> of(int r) const {
    const auto i = static_cast<std::size_t>(r);
    return std::span<const X>(all).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

// Sends each rank its part of `mine`, which holds them contiguously in rank order.
template <class X>
said_by_all<X> exchanged(const communicator_rank& m, std::span<const X> mine, std::vector<std::uint64_t> sent,
                         std::vector<std::uint64_t> received) {
  said_by_all<X> came;
  came.offsets = offsets_of_parts(received);
  came.all.resize(came.offsets.back());
  for (std::uint64_t& n : sent) n *= sizeof(X);
  for (std::uint64_t& n : received) n *= sizeof(X);
  m.route().all_to_all(mine.data(), sent, came.all.data(), received);
  return came;
}

// Sends the same elements to every rank.
template <class X>
said_by_all<X> shared(const communicator_rank& m, const std::vector<X>& mine) {
  const auto ranks = static_cast<std::size_t>(m.size());
  std::vector<X> copies;
  copies.reserve(ranks * mine.size());
  for (std::size_t r = 0; r < ranks; ++r) copies.insert(copies.end(), mine.begin(), mine.end());
  return exchanged<X>(m, copies, std::vector<std::uint64_t>(ranks, mine.size()), m.all(std::uint64_t{mine.size()}));
}

}  // namespace upsweep::core
