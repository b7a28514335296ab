// Elements by their index among all of a communicator: gather, scatter, and the element of a given rank in order.
#pragma once

#include <bit>

#include "upsweep/communicator/communicator_sort.hpp"
#include "upsweep/search.hpp"

namespace upsweep {
namespace core {

inline namespace UPSWEEP_COMPILED {

// The rank whose part contains an index, by the parts' offsets.
inline std::size_t owner_of(std::uint64_t place, const std::vector<std::uint64_t>& offsets) {
  return static_cast<std::size_t>(std::upper_bound(offsets.begin(), offsets.end(), place) - offsets.begin()) - 1;
}

inline error no_such_place(const char* call, std::uint64_t i, std::uint64_t place, std::uint64_t n) {
  return {fault::bad_argument, call,
          "index " + std::to_string(i) + " of the rank's is " + std::to_string(place) + ", and there are " +
              std::to_string(n) + " elements",
          "give indices below that"};
}

// Whether a rank gathers and scatters such elements on its device; otherwise on the host, which a CPU's memory needs no
// copy for.
template <class T>
bool moves_on_device(const communicator_rank& m) {
  return m.where().kind() == backend::cuda && core::bitwise_type<T>().has_value();
}

// A rank's memory that the host writes: in place on a CPU; otherwise in a host copy, which put() uploads.
template <class T>
class written_by_host {
 public:
  written_by_host(const communicator_rank& m, device_span<T> to) : m_(m), to_(to) {
    if (m.where().kind() != backend::cpu) there_ = host_array<T>(to.size());
  }
  T& operator[](std::uint64_t i) const { return m_.where().kind() == backend::cpu ? to_.data()[i] : there_[i]; }
  void get() const {
    if (m_.where().kind() != backend::cpu) upsweep::download(m_.where(), to_, there_.all());
  }
  void put() const {
    if (m_.where().kind() != backend::cpu) upsweep::upload(m_.where(), std::span<const T>(there_.all()), to_);
  }

 private:
  const communicator_rank& m_;
  device_span<T> to_;
  host_array<T> there_;
};

// to[i] = from[places[i]], in one rank's memory.
template <class T>
void take_by_place(const communicator_rank& m, device_span<const T> from, device_span<const std::uint64_t> places,
                   device_span<T> to) {
  if (core::moves_on_device<T>(m)) return upsweep::gather(m.where(), from, places, to);
  const readable<T> elements(m.where(), read_operand(from));
  const readable<std::uint64_t> at(m.where(), read_operand(places));
  const written_by_host<T> written(m, to);
  for (std::uint64_t i = 0; i < to.size(); ++i) written[i] = elements[at[i]];
  written.put();
}

// to[places[i]] = from[i]. `every`: all of `to` is written, so that its old content is not needed.
template <class T>
void put_by_place(const communicator_rank& m, device_span<const T> from, device_span<const std::uint64_t> places,
                  device_span<T> to, bool every) {
  if (core::moves_on_device<T>(m)) return upsweep::scatter(m.where(), from, places, to);
  const readable<T> elements(m.where(), read_operand(from));
  const readable<std::uint64_t> at(m.where(), read_operand(places));
  const written_by_host<T> written(m, to);
  if (!every) written.get();
  for (std::uint64_t i = 0; i < from.size(); ++i) written[at[i]] = elements[i];
  written.put();
}

// Groups a rank's indices by the rank that has the element.
struct routed {
  std::vector<std::uint64_t> sent, received;  // their number, to and from each rank
  device_span<std::uint64_t> order;           // the original position of each index sent, rank by rank
  device_span<std::uint64_t> asked;           // the indices that other ranks sent, relative to this rank's part

  routed(const communicator_rank& m, const char* call, device_span<const std::uint64_t> places,
         const std::vector<std::uint64_t>& offsets)
      : sent(static_cast<std::size_t>(m.size())),
        received(sent.size()),
        order(m.scratch<std::uint64_t>("group/routed", places.size())) {
    const auto going = m.scratch<std::uint64_t>("group/places going", places.size());
    m.where().kind() == backend::cuda ? on_device(m, call, places, offsets, going)
                                      : on_host(m, call, places, offsets, going);
    m.route().transpose(sent.data(), received.data(), sizeof sent[0]);
    const std::uint64_t coming = std::accumulate(received.begin(), received.end(), std::uint64_t{0});
    asked = m.scratch<std::uint64_t>("group/places asked", coming);
    m.all_to_all(device_span<const std::uint64_t>(going), sent, asked, received);
    if (coming == 0) return;
    // Subtracts this rank's offset; unsigned arithmetic wraps.
    const auto back = m.scratch<std::uint64_t>("group/places back", coming);
    upsweep::fill(m.where(), back, 0 - offsets[static_cast<std::size_t>(m.rank())]);
    upsweep::transform(m.where(), device_span<const std::uint64_t>(asked), device_span<const std::uint64_t>(back),
                       asked, plus{});
  }

 private:
  void on_host(const communicator_rank& m, const char* call, device_span<const std::uint64_t> in_memory,
               const std::vector<std::uint64_t>& offsets, device_span<std::uint64_t> to) {
    const std::uint64_t n = in_memory.size();
    const core::readable<std::uint64_t> places(m.where(), core::read_operand(in_memory));
    for (std::uint64_t i = 0; i < n; ++i) {
      if (places[i] >= offsets.back()) core::throw_error(core::no_such_place(call, i, places[i], offsets.back()));
      ++sent[core::owner_of(places[i], offsets)];
    }
    std::vector<std::uint64_t> at = core::offsets_of_parts(sent);
    const written_by_host<std::uint64_t> stood(m, order), going(m, to);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t next = at[core::owner_of(places[i], offsets)]++;
      stood[next] = i, going[next] = places[i];
    }
    stood.put(), going.put();
  }

  // Sorts the indices, which also makes accesses to the elements local.
  void on_device(const communicator_rank& m, const char* call, device_span<const std::uint64_t> places,
                 const std::vector<std::uint64_t>& offsets, device_span<std::uint64_t> going) {
    const std::uint64_t n = places.size(), all = offsets.back();
    if (n == 0) return;
    if (const std::uint64_t bad = upsweep::find_if_not(m.where(), places, less_than(all)); bad < n)
      core::throw_error(core::no_such_place(call, bad, m.read(places, bad), all));
    const auto numbers = m.scratch<std::uint64_t>("group/numbers", n);
    upsweep::iota(m.where(), numbers, std::uint64_t{0});
    upsweep::sort_by_key(m.where(), places, device_span<const std::uint64_t>(numbers), going, order,
                         {.last_bit = static_cast<unsigned>(std::bit_width(all - 1))});
    // Finds the first index for each rank.
    const std::span<const std::uint64_t> begin(offsets.data(), sent.size());
    std::vector<std::uint64_t> first(sent.size());
    const auto asking = m.scratch<std::uint64_t>("group/picked places", begin.size());
    const auto answers = m.scratch<std::uint64_t>("group/first places", begin.size());
    upsweep::upload(m.where(), begin, asking);
    upsweep::lower_bound(m.where(), device_span<const std::uint64_t>(going), device_span<const std::uint64_t>(asking),
                         answers);
    upsweep::download(m.where(), answers, std::span<std::uint64_t>(first));
    first.push_back(n);
    for (std::size_t r = 0; r < sent.size(); ++r) sent[r] = first[r + 1] - first[r];
  }
};

// The key at position k in order.
template <class K, class Order>
K nth_over(const communicator& g, const distributed<K>& in, std::uint64_t k, const Order& order) {
  core::require_one_group("nth_element", g, in.comm());
  if (k >= in.size())
    core::throw_error(error(fault::bad_argument, "nth_element",
                            "rank " + std::to_string(k) + " of " + std::to_string(in.size()) + " keys",
                            "ranks are counted from 0"));
  K answer{};
  g.for_each_rank("nth_element", [&](communicator_rank& m) {
    const auto part = in.part(m.local_rank());
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
    if (m.local_rank() != 0) return;
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

// The parts of `to` say how many elements each rank gets.
template <class T>
void redistribute(const communicator& g, const distributed<T>& from, distributed<T>& to) {
  core::require_one_group("redistribute", g, from.comm()), core::require_one_group("redistribute", g, to.comm());
  core::require_same_size("redistribute", "there are # elements and # places", from.size(), to.size());
  g.for_each_rank("redistribute", [&](communicator_rank& m) {
    core::move_parts(m, from.part(m.local_rank()), from.offsets(), to.part(m.local_rank()), to.offsets());
  });
}
// Into even parts.
template <class T>
void redistribute(const communicator& g, distributed<T>& x) {
  auto even = distributed<T>::even(g, x.size());
  upsweep::redistribute(g, x, even);
  x = std::move(even);
}

template <class T>
void gather(const communicator& g, const distributed<T>& in, const distributed<std::uint64_t>& indices,
            distributed<T>& out) {
  core::require_one_group("gather", g, in.comm()), core::require_one_group("gather", g, indices.comm());
  core::require_one_group("gather", g, out.comm());
  core::require_cut_alike("gather", indices.offsets(), out.offsets());
  g.for_each_rank("gather", [&](communicator_rank& m) {
    const auto part = out.part(m.local_rank());
    const core::routed to(m, "gather", indices.part(m.local_rank()), in.offsets());
    const auto answers = m.scratch<T>("group/answers", to.asked.size());
    const auto came = m.scratch<T>("group/elements here", part.size());
    core::take_by_place<T>(m, in.part(m.local_rank()), to.asked, answers);
    m.all_to_all(device_span<const T>(answers), to.received, came, to.sent);
    core::put_by_place<T>(m, came, to.order, part, true);
  });
}

template <class T>
void scatter(const communicator& g, const distributed<T>& in, const distributed<std::uint64_t>& indices,
             distributed<T>& out) {
  core::require_one_group("scatter", g, in.comm()), core::require_one_group("scatter", g, indices.comm());
  core::require_one_group("scatter", g, out.comm());
  core::require_cut_alike("scatter", indices.offsets(), in.offsets());
  g.for_each_rank("scatter", [&](communicator_rank& m) {
    const auto part = out.part(m.local_rank());
    const core::routed to(m, "scatter", indices.part(m.local_rank()), out.offsets());
    const auto going = m.scratch<T>("group/answers", indices.part(m.local_rank()).size());
    const auto came = m.scratch<T>("group/elements here", to.asked.size());
    core::take_by_place<T>(m, in.part(m.local_rank()), to.order, going);
    m.all_to_all(device_span<const T>(going), to.sent, came, to.received);
    core::put_by_place<T>(m, came, to.asked, part, false);
  });
}

template <class K>
K nth_element(const communicator& g, const distributed<K>& in, std::uint64_t k, const sort_options& options = {}) {
  return core::nth_over(g, in, k, core::key_order_across<K>("nth_element", options));
}
template <class K, class Compare>
  requires sort_comparator<Compare, K>
K nth_element(const communicator& g, const distributed<K>& in, std::uint64_t k, const Compare& compare) {
  return core::nth_over(g, in, k, core::compared_order_across<K, Compare>(compare));
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
