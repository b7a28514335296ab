// Sorting over a communicator of devices: each rank sorts its part, all of them find the boundaries in the sorted parts
// that give exact sizes, and each rank merges the runs that it receives, the first while the last are in transfer.
#pragma once

#include "upsweep/communicator/communicator_splitters.hpp"

namespace upsweep {
namespace core {

inline namespace UPSWEEP_COMPILED {

struct no_values {};

// Sorted keys, and their values if any.
template <class K, class V>
struct sorted_run {
  device_span<const K> keys;
  device_span<const V> values;
};

// Merges runs of a rank's memory into one, stably: an earlier run's equal elements come first. Merges by pairs, in
// scratch except for the last merge.
template <class K, class V, class Order>
void merge_runs(const communicator_rank& m, std::vector<sorted_run<K, V>> runs, device_span<K> out,
                device_span<V> values_out, const Order& order) {
  constexpr bool alone = std::same_as<V, no_values>;
  const auto part = [](device_span<V> values, std::uint64_t first, std::uint64_t n) {
    return alone ? values : values.subspan(first, n);
  };
  const auto merge_two = [&](const sorted_run<K, V>& a, const sorted_run<K, V>& b, device_span<K> to,
                             device_span<V> values_to) {
    if constexpr (alone) {
      order.merge(m.where(), a.keys, b.keys, to);
    } else {
      order.merge(m.where(), a.keys, a.values, b.keys, b.values, to, values_to);
    }
  };
  std::erase_if(runs, [](const auto& run) { return run.keys.size() == 0; });
  for (int level = 0; runs.size() > 2; ++level) {
    // An odd run stays where it is. The other runs are written at their final positions, which overlap no run still
    // needed.
    const auto keys = m.scratch<K>(level % 2 ? "group/merged keys, odd" : "group/merged keys", out.size());
    const auto values =
        m.scratch<V>(level % 2 ? "group/merged values, odd" : "group/merged values", alone ? 0 : out.size());
    std::uint64_t at = 0;
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
      const std::uint64_t n = runs[i].keys.size() + runs[i + 1].keys.size();
      merge_two(runs[i], runs[i + 1], keys.subspan(at, n), part(values, at, n));
      runs[i / 2] = {keys.subspan(at, n), part(values, at, n)};
      at += n;
    }
    if (runs.size() % 2) runs[runs.size() / 2] = runs.back();
    runs.resize((runs.size() + 1) / 2);
  }
  if (runs.size() == 2) return merge_two(runs[0], runs[1], out, values_out);
  if (runs.empty()) return;
  m.where().device().copy(out.where(), runs[0].keys.where(), out.size() * sizeof(K));
  if constexpr (!alone) m.where().device().copy(values_out.where(), runs[0].values.where(), out.size() * sizeof(V));
}

// The number of stages: each is at least 64 MB, enough work for the time in which the next stage is transferred.
inline std::size_t stages_of_merging(std::span<const std::uint64_t> want, std::uint64_t element_bytes) {
  std::uint64_t most = 0;
  for (std::size_t r = 0; r + 1 < want.size(); ++r) most = (std::max)(most, want[r + 1] - want[r]);
  return std::clamp<std::uint64_t>(most * element_bytes >> 26, 1, 8);
}

// The begins, in each rank's sorted part, of its stages for each rank, [rank * (ranks * stages + 1) + to * stages +
// stage], and the end of the last. Between the boundaries of the ranks, stages begin at evenly spaced keys of the rank
// that sends most.
template <class K, class Order>
std::vector<std::uint64_t> stage_cuts(const communicator_rank& m, device_span<const K> sorted, std::size_t stages,
                                      const cuts_by_rank<K, Order>& cuts, const Order& order) {
  const auto ranks = static_cast<std::size_t>(m.size()), me = static_cast<std::size_t>(m.rank());
  std::vector<std::uint64_t> mine(ranks * stages + 1), all(mine.size() * ranks);
  for (std::size_t to = 0; to < ranks; ++to)
    std::fill_n(mine.begin() + static_cast<std::ptrdiff_t>(to * stages), stages, cuts(to)[me]);
  mine.back() = cuts(ranks)[me];
  if (stages > 1) {
    const std::size_t inner = stages - 1;
    std::vector<std::size_t> from(ranks), known;  // whose keys define each rank's stages; which are this rank's
    std::vector<std::uint64_t> places;
    for (std::size_t to = 0; to < ranks; ++to) {
      const auto size = [&](std::size_t r) { return cuts(to + 1)[r] - cuts(to)[r]; };
      for (std::size_t r = 1; r < ranks; ++r)
        if (size(r) > size(from[to])) from[to] = r;
      for (std::size_t s = 1; s < stages && from[to] == me && size(me) != 0; ++s)
        known.push_back(to * inner + s - 1), places.push_back(cuts(to)[me] + size(me) / stages * s);
    }
    const host_array<K> picked(places.size()), keys(inner * ranks), of_all(keys.size() * ranks);
    core::pick(m, sorted, places, picked.all());
    std::uninitialized_fill_n(keys.data(), keys.size(), K{});
    for (std::size_t i = 0; i < known.size(); ++i) keys[known[i]] = picked[i];
    m.route().all_gather(keys.data(), of_all.data(), keys.size() * sizeof(K));
    std::vector<sought<K>> here;
    for (std::size_t to = 0; to < ranks; ++to)
      for (std::size_t i = to * inner; i < (to + 1) * inner; ++i)
        here.push_back({of_all[from[to] * keys.size() + i], me < from[to], cuts(to)[me], cuts(to + 1)[me]});
    for (std::size_t i = 0; i < known.size(); ++i) here[known[i]].low = here[known[i]].high = places[i];
    core::find_places(m, sorted, here, order);
    // With a comparator that is not a strict weak order they may not ascend.
    for (std::size_t to = 0; to < ranks; ++to)
      for (std::size_t s = 1; s < stages; ++s)
        mine[to * stages + s] = (std::max)(here[to * inner + s - 1].low, mine[to * stages + s - 1]);
  }
  m.route().all_gather(mine.data(), all.data(), mine.size() * sizeof mine[0]);
  return all;
}

// The ranges sent from rank to rank, by stages; a rank's own stay in place.
struct staged_shares {
  std::vector<share> sent, received;  // stage * ranks + rank
  std::vector<share> own;
  std::uint64_t coming = 0;

  // cuts: the result of stage_cuts.
  staged_shares(const communicator_rank& m, std::size_t stages, const std::vector<std::uint64_t>& cuts) : own(stages) {
    const auto ranks = static_cast<std::size_t>(m.size()), me = static_cast<std::size_t>(m.rank());
    sent.resize(stages * ranks), received.resize(stages * ranks);
    for (std::size_t s = 0; s < stages; ++s)
      for (std::size_t r = 0; r < ranks; ++r) {
        const auto part = [&](std::size_t from, std::size_t to) {
          const std::uint64_t* const at = cuts.data() + from * (ranks * stages + 1) + to * stages + s;
          return share{at[0], at[1] - at[0]};
        };
        if (r == me) {
          own[s] = part(me, me);
          continue;
        }
        sent[s * ranks + r] = part(me, r);
        received[s * ranks + r] = {coming, part(r, me).count};
        coming += part(r, me).count;
      }
  }
};

// in and out may be the same memory.
template <class K, class V, class Order>
void sort_by_merging(const communicator_rank& m, device_span<const K> keys, device_span<K> keys_out,
                     device_span<const V> values, device_span<V> values_out, std::span<const std::uint64_t> have,
                     std::span<const std::uint64_t> want, const Order& order) {
  constexpr bool alone = std::same_as<V, no_values>;
  const context& where = m.where();
  const auto ranks = static_cast<std::size_t>(m.size()), me = static_cast<std::size_t>(m.rank());
  const auto keys_going = m.scratch<K>("group/keys going", keys.size());
  const auto values_going = m.scratch<V>("group/values going", alone ? 0 : keys.size());
  if constexpr (alone) {
    order.sort(where, keys, keys_going);
  } else {
    order.sort(where, keys, keys_going, values, values_going);
  }

  const std::size_t stages = core::stages_of_merging(want, sizeof(K) + (alone ? 0 : sizeof(V)));
  const auto sorted = device_span<const K>(keys_going);
  const cuts_by_rank<K, Order> cuts(m, sorted, have, want, order);
  const staged_shares shares(m, stages, core::stage_cuts(m, sorted, stages, cuts, order));

  const auto keys_here = m.scratch<K>("group/keys here", shares.coming);
  const auto values_here = m.scratch<V>("group/values here", alone ? 0 : shares.coming);
  std::vector<moved_memory> what{{keys_going.where(), keys_here.where(), sizeof(K)}};
  if constexpr (!alone) what.push_back({values_going.where(), values_here.where(), sizeof(V)});
  const auto came = m.route().all_to_all(where.device(), what, shares.sent, shares.received);

  // OpenCL cannot merge by every order, and CUDA's merge is slow with values of other sizes: there the received runs
  // are sorted again.
  const bool merges =
      where.kind() == backend::cpu || (where.kind() == backend::cuda && (alone || sizeof(V) == 4 || sizeof(V) == 8));
  std::uint64_t at = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    if (came[s]) where.device().wait_for(*came[s]);
    std::uint64_t n = 0;
    std::vector<sorted_run<K, V>> runs;
    for (std::size_t r = 0; r < ranks; ++r) {
      const share& piece = r == me ? shares.own[s] : shares.received[s * ranks + r];
      runs.push_back({(r == me ? keys_going : keys_here).subspan(piece.first, piece.count), {}});
      if constexpr (!alone)
        runs.back().values = (r == me ? values_going : values_here).subspan(piece.first, piece.count);
      n += piece.count;
    }
    if (merges) {
      core::merge_runs(m, std::move(runs), keys_out.subspan(at, n), alone ? values_out : values_out.subspan(at, n),
                       order);
      at += n;
      continue;
    }
    for (const auto& run : runs) {
      if (run.keys.size() == 0) continue;
      where.device().copy(keys_out.where().plus_bytes(at * sizeof(K)), run.keys.where(), run.keys.size() * sizeof(K));
      if constexpr (!alone)
        where.device().copy(values_out.where().plus_bytes(at * sizeof(V)), run.values.where(),
                            run.keys.size() * sizeof(V));
      at += run.keys.size();
    }
  }
  if (merges) return;
  if constexpr (alone) {
    order.sort(where, keys_out);
  } else {
    order.sort(where, keys_out, values_out);
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace core
}  // namespace upsweep
