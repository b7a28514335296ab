// Sorting over a group of devices: each member sorts its part, all of them find where the sorted parts are cut so that
// sizes come out exact, and each member merges the runs that come to it, the first while the last are under way.
#pragma once

#include "upsweep/group/cuts.hpp"

namespace upsweep {
namespace core {

inline namespace UPSWEEP_COMPILED {

struct no_values {};

// Keys in order, and their values where there are any.
template <class K, class V>
struct sorted_run {
  device_span<const K> keys;
  device_span<const V> values;
};

// Runs of a member's memory become one, of equal elements an earlier run's first: by pairs, in scratch but for the last.
template <class K, class V, class Order>
void merge_runs(const member& m, std::vector<sorted_run<K, V>> runs, device_span<K> out, device_span<V> values_out,
                const Order& order) {
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
    // What is left over stays where it is. Runs go to where their elements will stand, so nothing is written over it.
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
  m.where().dev().copy(out.where(), runs[0].keys.where(), out.size() * sizeof(K));
  if constexpr (!alone) m.where().dev().copy(values_out.where(), runs[0].values.where(), out.size() * sizeof(V));
}

// As many as have something to do while the next is under way: 64 MB each at least.
inline std::size_t stages_of_merging(std::span<const std::uint64_t> want, std::uint64_t element_bytes) {
  std::uint64_t most = 0;
  for (std::size_t r = 0; r + 1 < want.size(); ++r) most = std::max(most, want[r + 1] - want[r]);
  return std::clamp<std::uint64_t>(most * element_bytes >> 26, 1, 6);
}

// What goes from member to member, by stages; a member's own stays where it is.
struct staged_shares {
  std::vector<share> sent, received;  // stage * members + member
  std::vector<share> own;
  std::uint64_t coming = 0;

  // cuts(r * stages + s): where what member r gets in stage s begins.
  template <class Cuts>
  staged_shares(const member& m, std::size_t stages, const Cuts& cuts) : own(stages) {
    const auto members = static_cast<std::size_t>(m.size()), me = static_cast<std::size_t>(m.rank());
    sent.resize(stages * members), received.resize(stages * members);
    for (std::size_t s = 0; s < stages; ++s)
      for (std::size_t r = 0; r < members; ++r) {
        const auto part = [&](std::size_t from, std::size_t to) {
          const std::uint64_t first = cuts(to * stages + s)[from];
          return share{first, cuts(to * stages + s + 1)[from] - first};
        };
        if (r == me) {
          own[s] = part(me, me);
          continue;
        }
        sent[s * members + r] = part(me, r);
        received[s * members + r] = {coming, part(r, me).count};
        coming += part(r, me).count;
      }
  }
};

// in and out may be the same memory.
template <class K, class V, class Order>
void sort_by_merging(const member& m, device_span<const K> keys, device_span<K> keys_out, device_span<const V> values,
                     device_span<V> values_out, std::span<const std::uint64_t> have,
                     std::span<const std::uint64_t> want, const Order& order) {
  constexpr bool alone = std::same_as<V, no_values>;
  const context& where = m.where();
  const auto members = static_cast<std::size_t>(m.size()), me = static_cast<std::size_t>(m.rank());
  const auto keys_going = m.scratch<K>("group/keys going", keys.size());
  const auto values_going = m.scratch<V>("group/values going", alone ? 0 : keys.size());
  if constexpr (alone) {
    order.sort(where, keys, keys_going);
  } else {
    order.sort(where, keys, keys_going, values, values_going);
  }

  const std::size_t stages = core::stages_of_merging(want, sizeof(K) + (alone ? 0 : sizeof(V)));
  std::vector<std::uint64_t> targets;
  for (std::size_t r = 0; r < members; ++r)
    for (std::size_t s = 0; s < stages; ++s) targets.push_back(want[r] + (want[r + 1] - want[r]) / stages * s);
  targets.push_back(want.back());
  const cuts_by_rank<K, Order> cuts(m, keys_going, have, targets, order);
  const staged_shares shares(m, stages, cuts);

  const auto keys_here = m.scratch<K>("group/keys here", shares.coming);
  const auto values_here = m.scratch<V>("group/values here", alone ? 0 : shares.coming);
  std::vector<moved_memory> what{{keys_going.where(), keys_here.where(), sizeof(K)}};
  if constexpr (!alone) what.push_back({values_going.where(), values_here.where(), sizeof(V)});
  const auto came = m.way().all_to_all(where.dev(), what, shares.sent, shares.received);

  // OpenCL has no merge by every order, and CUDA none that is fast with values of other sizes: there what came is
  // sorted again.
  const bool merges =
      where.kind() == backend::cpu || (where.kind() == backend::cuda && (alone || sizeof(V) == 4 || sizeof(V) == 8));
  for (std::size_t s = 0; s < stages; ++s) {
    if (came[s]) where.dev().wait_for(*came[s]);
    std::uint64_t at = targets[me * stages + s] - want[me];
    const std::uint64_t n = targets[me * stages + s + 1] - targets[me * stages + s];
    std::vector<sorted_run<K, V>> runs;
    for (std::size_t r = 0; r < members; ++r) {
      const share& piece = r == me ? shares.own[s] : shares.received[s * members + r];
      runs.push_back({(r == me ? keys_going : keys_here).subspan(piece.first, piece.count), {}});
      if constexpr (!alone)
        runs.back().values = (r == me ? values_going : values_here).subspan(piece.first, piece.count);
    }
    if (merges) {
      core::merge_runs(m, std::move(runs), keys_out.subspan(at, n), alone ? values_out : values_out.subspan(at, n),
                       order);
      continue;
    }
    for (const auto& run : runs) {
      if (run.keys.size() == 0) continue;
      where.dev().copy(keys_out.where().plus_bytes(at * sizeof(K)), run.keys.where(), run.keys.size() * sizeof(K));
      if constexpr (!alone)
        where.dev().copy(values_out.where().plus_bytes(at * sizeof(V)), run.values.where(),
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
