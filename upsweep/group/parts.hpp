// What each member has for each other, in host memory: parts of all members, in order.
#pragma once

#include <span>
#include <vector>

#include "upsweep/group/distributed.hpp"
#include "upsweep/group/members.hpp"

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

// To each member what is for it, one behind the other.
template <class X>
said_by_all<X> exchanged(const member& m, std::span<const X> mine, std::vector<std::uint64_t> sent,
                         std::vector<std::uint64_t> received) {
  said_by_all<X> came;
  came.offsets = offsets_of_parts(received);
  came.all.resize(came.offsets.back());
  for (std::uint64_t& n : sent) n *= sizeof(X);
  for (std::uint64_t& n : received) n *= sizeof(X);
  m.way().all_to_all(mine.data(), sent, came.all.data(), received);
  return came;
}

// The same to each.
template <class X>
said_by_all<X> shared(const member& m, const std::vector<X>& mine) {
  const auto members = static_cast<std::size_t>(m.size());
  std::vector<X> copies;
  copies.reserve(members * mine.size());
  for (std::size_t r = 0; r < members; ++r) copies.insert(copies.end(), mine.begin(), mine.end());
  return exchanged<X>(m, copies, std::vector<std::uint64_t>(members, mine.size()), m.all(std::uint64_t{mine.size()}));
}

}  // namespace upsweep::core
