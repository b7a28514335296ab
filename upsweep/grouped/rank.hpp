// What grouped.hpp's rank ends in: a sort of places, and the places of the places.
#pragma once

#include "upsweep/grouped/scratch.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {

// Which ranks equal keys have: one after the other as they stand in the input, all that of the first of them, or all
// the same with the next key's following it.
enum class ties : std::uint8_t { in_turn, least, dense };

namespace grouped_room {
inline namespace UPSWEEP_COMPILED {

// to[i] = which of the sorted keys' ranks key i has: its place among them, or its run's.
template <class K, class I>
void ranks_of_runs(const context& where, device_span<const K> keys, device_span<I> indices, device_span<I> ranks,
                   const sort_options& options, ties equal) {
  const std::uint64_t n = keys.size();
  const auto sorted = grouped_room::scratch_of<K>(where, "grouped/keys", n);
  const auto firsts = grouped_room::scratch_of<K>(where, "grouped/different keys", n);
  const auto lengths = grouped_room::scratch_of<std::uint64_t>(where, "grouped/counts", n);
  const auto of_runs = grouped_room::scratch_of<I>(where, "grouped/ranks of runs", n);
  upsweep::argsort(where, keys, sorted, indices, options);
  const std::uint64_t runs = upsweep::run_length_encode(where, sorted, firsts, lengths);
  if (equal == ties::dense) {
    upsweep::iota(where, of_runs.subspan(0, runs), I{0}, I{1});
  } else {
    upsweep::iota(where, ranks, I{0}, I{1});
    upsweep::unique_by_key(where, sorted, ranks, firsts, of_runs);
  }
  upsweep::run_length_decode(where, of_runs.subspan(0, runs), lengths.subspan(0, runs), ranks);
}

template <class K, class R, class Order>
void ranked(const context& asked, const K& keys, R& out, const Order& order, ties equal) {
  using T = element_of<K>;
  using I = element_of<R>;
  constexpr bool places = std::is_same_v<I, std::uint32_t> || std::is_same_v<I, std::uint64_t>;
  static_assert(places, "upsweep: ranks are written as u32 or u64");
  if constexpr (places) {
    const context where = grouped_room::worked_on_by<K>(asked);
    const device_span<const T> from = grouped_room::read_span(keys);
    const device_span<I> to = grouped_room::written_span(out);
    core::require_same_size("rank", "there are # keys and # places for ranks", from.size(), to.size());
    core::require_apart("rank", where, {{"the keys", core::read_operand(keys)}, {"the ranks", core::operand<I>(to)}});
    const device_span<I> indices = grouped_room::scratch_of<I>(where, "grouped/indices", to.size());
    const device_span<I> ranks = grouped_room::scratch_of<I>(where, "grouped/ranks", to.size());
    bool by_runs = false;
    if constexpr (std::is_same_v<Order, sort_options>) {
      grouped_room::require_keys<T>();
      by_runs = equal != ties::in_turn;
      if (by_runs) grouped_room::ranks_of_runs<T, I>(where, from, indices, ranks, order, equal);
    }
    if (!by_runs) {
      upsweep::argsort(where, from, indices, order);
      upsweep::iota(where, ranks, I{0}, I{1});
    }
    upsweep::scatter(where, ranks, indices, to);
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace grouped_room
}  // namespace upsweep
