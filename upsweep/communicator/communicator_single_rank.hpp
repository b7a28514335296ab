// Few elements of CUDA devices are sent to one of them, sorted there, and sent back: two exchanges, where finding the
// boundaries of sorted parts takes some ten.
#pragma once

#include <algorithm>

#include "upsweep/communicator/communicator_merging.hpp"

namespace upsweep {
namespace core {

inline namespace UPSWEEP_COMPILED {

// Bytes of keys and values up to which one GPU alone is faster than two together.
inline constexpr std::uint64_t most_bytes_on_one = std::uint64_t{1} << 25;

// The rank that sends and receives most of them; the first of equals.
inline std::size_t rank_with_most(std::span<const std::uint64_t> have, std::span<const std::uint64_t> want) {
  std::size_t found = 0;
  std::uint64_t most = 0;
  for (std::size_t r = 0; r + 1 < have.size(); ++r) {
    const std::uint64_t of_r = have[r + 1] - have[r] + want[r + 1] - want[r];
    if (of_r > most) most = of_r, found = r;
  }
  return found;
}

// Returns false, and does nothing, where a rank is not on CUDA or the elements are too many. in and out may be the same
// memory.
template <class K, class V, class Order>
bool sort_on_one(const communicator_rank& m, device_span<const K> keys, device_span<K> keys_out,
                 device_span<const V> values, device_span<V> values_out, std::span<const std::uint64_t> have,
                 std::span<const std::uint64_t> want, const Order& order) {
  constexpr bool alone = std::same_as<V, no_values>;
  if (have.back() > most_bytes_on_one / (sizeof(K) + (alone ? 0 : sizeof(V)))) return false;
  const auto kinds = m.all(m.where().kind());
  if (std::ranges::any_of(kinds, [](backend b) { return b != backend::cuda; })) return false;

  const context& where = m.where();
  const std::size_t one = core::rank_with_most(have, want), me = static_cast<std::size_t>(m.rank());
  const std::uint64_t n = me == one ? have.back() : 0;
  const auto keys_came = m.scratch<K>("group/keys here", n), keys_sorted = m.scratch<K>("group/keys going", n);
  const auto values_came = m.scratch<V>("group/values here", alone ? 0 : n);
  const auto values_sorted = m.scratch<V>("group/values going", alone ? 0 : n);
  const auto move = [&](device_span<const K> from, device_span<const V> values_from, const std::vector<share>& sent,
                        device_span<K> to, device_span<V> values_to, const std::vector<share>& received) {
    std::vector<moved_memory> what{{from.where(), to.where(), sizeof(K)}};
    if constexpr (!alone) what.push_back({values_from.where(), values_to.where(), sizeof(V)});
    for (const auto& came : m.route().all_to_all(where.device(), what, sent, received))
      if (came) where.device().wait_for(*came);
  };
  // This rank's elements of a partition; and, on the chosen rank, the elements of all ranks.
  const auto of_this = [&](std::span<const std::uint64_t> offsets) {
    std::vector<share> shares(have.size() - 1);
    shares[one] = {0, offsets[me + 1] - offsets[me]};
    return shares;
  };
  const auto of_all = [&](std::span<const std::uint64_t> offsets) {
    std::vector<share> shares(have.size() - 1);
    for (std::size_t r = 0; r < shares.size() && me == one; ++r) shares[r] = {offsets[r], offsets[r + 1] - offsets[r]};
    return shares;
  };

  move(keys, values, of_this(have), keys_came, values_came, of_all(have));
  if (me == one) {
    if constexpr (alone) {
      order.sort(where, device_span<const K>(keys_came), keys_sorted);
    } else {
      order.sort(where, device_span<const K>(keys_came), keys_sorted, device_span<const V>(values_came), values_sorted);
    }
  }
  move(keys_sorted, values_sorted, of_all(want), keys_out, values_out, of_this(want));
  return true;
}

}  // namespace UPSWEEP_COMPILED
}  // namespace core
}  // namespace upsweep
