// Dispatch of grouped.hpp's rank: a sort of indices, and the inverse of that permutation.
#pragma once

#include "upsweep/grouped/grouped_scratch.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {

// The ranks of equal keys. ordinal: in the order of the input. min: all get the rank of the first of them. dense: as
// min, but the next larger key gets the next rank.
enum class ties : std::uint8_t { ordinal, min, dense };

namespace detail::grouped_impl {
inline namespace UPSWEEP_COMPILED {

// to[i] = the rank of key i: its position among the sorted keys, or its run's.
template <class K, class I>
void ranks_of_runs(const context& where, device_span<const K> keys, device_span<I> indices, device_span<I> ranks,
                   const sort_options& options, ties equal) {
  const std::uint64_t n = keys.size();
  const auto sorted = detail::grouped_impl::scratch_of<K>(where, "grouped/keys", n);
  const auto firsts = detail::grouped_impl::scratch_of<K>(where, "grouped/different keys", n);
  const auto lengths = detail::grouped_impl::scratch_of<std::uint64_t>(where, "grouped/counts", n);
  const auto of_runs = detail::grouped_impl::scratch_of<I>(where, "grouped/ranks of runs", n);
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
    const context where = detail::grouped_impl::worked_on_by<K>(asked);
    const device_span<const T> from = detail::grouped_impl::read_span(keys);
    const device_span<I> to = detail::grouped_impl::written_span(out);
    core::require_same_size("rank", "there are # keys and # elements for ranks", from.size(), to.size());
    core::require_no_overlap("rank", where,
                             {{"the keys", core::read_operand(keys)}, {"the ranks", core::operand<I>(to)}});
    const device_span<I> indices = detail::grouped_impl::scratch_of<I>(where, "grouped/indices", to.size());
    const device_span<I> ranks = detail::grouped_impl::scratch_of<I>(where, "grouped/ranks", to.size());
    bool by_runs = false;
    if constexpr (std::is_same_v<Order, sort_options>) {
      detail::grouped_impl::require_keys<T>();
      by_runs = equal != ties::ordinal;
      if (by_runs) detail::grouped_impl::ranks_of_runs<T, I>(where, from, indices, ranks, order, equal);
    }
    if (!by_runs) {
      upsweep::argsort(where, from, indices, order);
      upsweep::iota(where, ranks, I{0}, I{1});
    }
    upsweep::scatter(where, ranks, indices, to);
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace detail::grouped_impl
}  // namespace upsweep
