// Elements by their place among all of a group's: to where they are asked for, to where they belong, and the one of a
// rank.
#pragma once

#include "upsweep/group/order.hpp"

namespace upsweep {
namespace core {

inline namespace UPSWEEP_COMPILED {

// The member whose part a place lies in, by the parts' offsets.
inline std::size_t owner_of(std::uint64_t place, const std::vector<std::uint64_t>& offsets) {
  return static_cast<std::size_t>(std::upper_bound(offsets.begin(), offsets.end(), place) - offsets.begin()) - 1;
}

inline void require_places(const char* call, std::span<const std::uint64_t> places, std::uint64_t n) {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] >= n)
      throw error(fault::bad_argument, call,
                  "index " + std::to_string(i) + " of the member's is " + std::to_string(places[i]) +
                      ", and there are " + std::to_string(n) + " elements",
                  "give indices below that");
}

// Which of a member's places belong to which member.
struct routed {
  std::vector<std::uint64_t> sent, received;  // how many to and from each
  host_array<std::uint64_t> order;            // where each of those sent stood, member by member
  host_array<std::uint64_t> asked;            // what the others sent: places among all

  routed(const member& m, std::span<const std::uint64_t> places, const std::vector<std::uint64_t>& offsets)
      : sent(static_cast<std::size_t>(m.size())), received(sent.size()), order(places.size()) {
    for (const std::uint64_t place : places) ++sent[core::owner_of(place, offsets)];
    std::vector<std::uint64_t> at = core::offsets_of_parts(sent);
    for (std::uint64_t i = 0; i < places.size(); ++i) order[at[core::owner_of(places[i], offsets)]++] = i;
    host_array<std::uint64_t> going(places.size());
    for (std::uint64_t i = 0; i < places.size(); ++i) going[i] = places[order[i]];
    m.way().transpose(sent.data(), received.data(), sizeof sent[0]);
    asked = host_array<std::uint64_t>(std::accumulate(received.begin(), received.end(), std::uint64_t{0}));
    m.way().all_to_all(going.data(), in_bytes<std::uint64_t>(sent), asked.data(), in_bytes<std::uint64_t>(received));
  }

  template <class T>
  static std::vector<std::uint64_t> in_bytes(std::vector<std::uint64_t> counts) {
    for (auto& c : counts) c *= sizeof(T);
    return counts;
  }
};

// The key of rank k: the first that is not among the first k.
template <class K, class Order>
K nth_over(const group& g, const distributed<K>& in, std::uint64_t k, const Order& order) {
  core::require_one_group("nth_element", g, in.members());
  if (k >= in.size())
    throw error(fault::bad_argument, "nth_element",
                "rank " + std::to_string(k) + " of " + std::to_string(in.size()) + " keys", "ranks are counted from 0");
  K answer{};
  g.each("nth_element", [&](member& m) {
    const auto part = in.part(m.here());
    const auto keys = m.scratch<K>("group/keys sorted", part.size());
    if (part.size()) order.sort(m.where(), part, keys);
    const auto sorted = device_span<const K>(keys);
    const cuts_by_rank<K, Order> cuts(m, sorted, in.offsets(), {&k, 1}, order);
    const std::uint64_t cut = cuts(0)[m.rank()];
    struct candidate {
      K key{};
      bool there = false;
    };
    const auto all = m.all(cut < part.size() ? candidate{m.read(sorted, cut), true} : candidate{});
    if (m.here() != 0) return;
    const candidate* first = nullptr;
    for (const candidate& one : all)
      if (one.there && (!first || order(one.key, first->key))) first = &one;
    answer = first->key;
  });
  return answer;
}

}  // namespace UPSWEEP_COMPILED
}  // namespace core

inline namespace UPSWEEP_COMPILED {

// to's parts say how much each member is to have.
template <class T>
void redistribute(const group& g, const distributed<T>& from, distributed<T>& to) {
  core::require_one_group("redistribute", g, from.members()), core::require_one_group("redistribute", g, to.members());
  core::require_same_size("redistribute", "there are # elements and # places", from.size(), to.size());
  g.each("redistribute",
         [&](member& m) { core::move_parts(m, from.part(m.here()), from.offsets(), to.part(m.here()), to.offsets()); });
}
// Evenly.
template <class T>
void redistribute(const group& g, distributed<T>& x) {
  auto even = distributed<T>::evenly(g, x.size());
  upsweep::redistribute(g, x, even);
  x = std::move(even);
}

template <class T>
void gather(const group& g, const distributed<T>& in, const distributed<std::uint64_t>& indices, distributed<T>& out) {
  core::require_one_group("gather", g, in.members()), core::require_one_group("gather", g, indices.members());
  core::require_one_group("gather", g, out.members());
  core::require_cut_alike("gather", indices.offsets(), out.offsets());
  g.each("gather", [&](member& m) {
    const auto part = out.part(m.here());
    const core::readable<std::uint64_t> places(m.where(), core::read_operand(indices.part(m.here())));
    core::require_places("gather", {places.data(), part.size()}, in.size());
    const core::routed to(m, {places.data(), part.size()}, in.offsets());
    const core::readable<T> mine(m.where(), core::read_operand(in.part(m.here())));
    const core::host_array<T> answers(to.asked.size()), came(part.size());
    for (std::uint64_t i = 0; i < answers.size(); ++i) answers[i] = mine[to.asked[i] - in.first(m.rank())];
    m.way().all_to_all(answers.data(), to.in_bytes<T>(to.received), came.data(), to.in_bytes<T>(to.sent));
    const core::host_array<T> there(part.size());
    for (std::uint64_t i = 0; i < part.size(); ++i) there[to.order[i]] = came[i];
    upsweep::upload(m.where(), std::span<const T>(there.all()), part);
  });
}

template <class T>
void scatter(const group& g, const distributed<T>& in, const distributed<std::uint64_t>& indices, distributed<T>& out) {
  core::require_one_group("scatter", g, in.members()), core::require_one_group("scatter", g, indices.members());
  core::require_one_group("scatter", g, out.members());
  core::require_cut_alike("scatter", indices.offsets(), in.offsets());
  g.each("scatter", [&](member& m) {
    const auto part = out.part(m.here());
    const std::uint64_t n = in.part(m.here()).size();
    const core::readable<std::uint64_t> places(m.where(), core::read_operand(indices.part(m.here())));
    core::require_places("scatter", {places.data(), n}, out.size());
    const core::routed to(m, {places.data(), n}, out.offsets());
    const core::readable<T> mine(m.where(), core::read_operand(in.part(m.here())));
    const core::host_array<T> going(n), came(to.asked.size());
    for (std::uint64_t i = 0; i < n; ++i) going[i] = mine[to.order[i]];
    m.way().all_to_all(going.data(), to.in_bytes<T>(to.sent), came.data(), to.in_bytes<T>(to.received));
    const core::host_array<T> there(part.size());
    upsweep::download(m.where(), part, there.all());
    for (std::uint64_t i = 0; i < came.size(); ++i) there[to.asked[i] - out.first(m.rank())] = came[i];
    upsweep::upload(m.where(), std::span<const T>(there.all()), part);
  });
}

template <class K>
K nth_element(const group& g, const distributed<K>& in, std::uint64_t k, const sort_options& options = {}) {
  return core::nth_over(g, in, k, core::key_order_across<K>("nth_element", options));
}
template <class K, class Compare>
  requires sort_comparator<Compare, K>
K nth_element(const group& g, const distributed<K>& in, std::uint64_t k, const Compare& compare) {
  return core::nth_over(g, in, k, core::compared_order_across<K, Compare>(compare));
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
