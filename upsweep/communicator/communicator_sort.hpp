// Sorting over a communicator (communicator_merging.hpp): the calls, and the orders that they take.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "upsweep/communicator/communicator_merging.hpp"
#include "upsweep/communicator/communicator_single_rank.hpp"
#include "upsweep/sets.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/sort/sort_order.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {
namespace core {

inline namespace UPSWEEP_COMPILED {

// The sorts and merges of one rank; `how` are the options or the comparator that these calls take.
template <class K, class How>
class calls_in_order {
 public:
  explicit calls_in_order(const How& how) : how_(how) {}
  void sort(const context& where, device_span<K> keys) const { upsweep::sort(where, keys, how_); }
  template <class V>
  void sort(const context& where, device_span<K> keys, device_span<V> values) const {
    upsweep::sort_by_key(where, keys, values, how_);
  }
  void sort(const context& where, device_span<const K> in, device_span<K> out) const {
    upsweep::sort(where, in, out, how_);
  }
  template <class V>
  void sort(const context& where, device_span<const K> in, device_span<K> out, device_span<const V> values,
            device_span<V> values_out) const {
    upsweep::sort_by_key(where, in, values, out, values_out, how_);
  }
  void merge(const context& where, device_span<const K> a, device_span<const K> b, device_span<K> out) const {
    upsweep::merge(where, a, b, out, how_);
  }
  template <class V>
  void merge(const context& where, device_span<const K> a, device_span<const V> a_values, device_span<const K> b,
             device_span<const V> b_values, device_span<K> out, device_span<V> values_out) const {
    upsweep::merge_by_key(where, a, a_values, b, b_values, out, values_out, how_);
  }
  void top(const context& where, device_span<const K> in, device_span<K> out, device_span<std::uint64_t> places) const {
    upsweep::top_k(where, in, out, places, how_);
  }

 protected:
  How how_;
};

// The built-in order of keys.
template <class K>
class key_order_across : public calls_in_order<K, sort_options> {
  static_assert(detail::sort_impl::has_builtin_order<K>,
                "upsweep: keys of this type have no built-in order; give a comparator, `bool operator()(const T& a, "
                "const T& b) const`");

 public:
  key_order_across(const char* call, const sort_options& o) : calls_in_order<K, sort_options>(o) {
    detail::sort_impl::check_bits(call, o.first_bit, o.last_bit, 8 * sizeof(K));
    window_ = {o.first_bit, o.last_bit, o.descending};
  }
  auto image(const K& key) const {
    if constexpr (std::same_as<K, bool>) {
      return window_(static_cast<std::uint8_t>(key));
    } else {
      return window_(order_bits(key));
    }
  }
  bool operator()(const K& a, const K& b) const { return image(a) < image(b); }

 private:
  order_window<order_image<K>> window_;
};

// The order of a comparator.
template <class K, class Compare>
class compared_order_across : public calls_in_order<K, Compare> {
 public:
  using calls_in_order<K, Compare>::calls_in_order;
  bool operator()(const K& a, const K& b) const { return this->how_(a, b); }
};

// For a total order without equal elements, so that the sort need not be stable. With a comparator that is not an order
// the elements come out in some order.
template <class T, class Before>
void sort_in_place(std::vector<T>& x, const Before& before) {
  std::make_heap(x.begin(), x.end(), before);
  std::sort_heap(x.begin(), x.end(), before);
}

// in and out may be the same memory.
template <class K, class V, class Order>
void sort_across(const communicator_rank& m, device_span<const K> keys, device_span<K> keys_out,
                 device_span<const V> values, device_span<V> values_out, std::span<const std::uint64_t> have,
                 std::span<const std::uint64_t> want, const Order& order) {
  if (have.back() == 0) return;
  if (m.size() == 1) {
    if constexpr (std::same_as<V, no_values>) {
      return order.sort(m.where(), keys, keys_out);
    } else {
      return order.sort(m.where(), keys, keys_out, values, values_out);
    }
  }
  if (!core::sort_on_one(m, keys, keys_out, values, values_out, have, want, order))
    core::sort_by_merging(m, keys, keys_out, values, values_out, have, want, order);
}

template <class K, class Order>
void sort_over(const char* call, const communicator& g, const distributed<K>& in, distributed<K>& out,
               const Order& order) {
  core::require_one_group(call, g, in.comm()), core::require_one_group(call, g, out.comm());
  core::require_same_size(call, "there are # keys and # output elements", in.size(), out.size());
  g.for_each_rank(call, [&](communicator_rank& m) {
    core::sort_across<K, no_values>(m, in.part(m.local_rank()), out.part(m.local_rank()), {}, {}, in.offsets(),
                                    out.offsets(), order);
  });
}

template <class K, class V, class Order>
void sort_over(const char* call, const communicator& g, const distributed<K>& keys, const distributed<V>& values,
               distributed<K>& keys_out, distributed<V>& values_out, const Order& order) {
  core::require_one_group(call, g, keys.comm()), core::require_one_group(call, g, values.comm());
  core::require_one_group(call, g, keys_out.comm()), core::require_one_group(call, g, values_out.comm());
  core::require_cut_alike(call, keys.offsets(), values.offsets());
  core::require_cut_alike(call, keys_out.offsets(), values_out.offsets());
  core::require_same_size(call, "there are # keys and # output elements", keys.size(), keys_out.size());
  g.for_each_rank(call, [&](communicator_rank& m) {
    const int i = m.local_rank();
    core::sort_across<K, V>(m, keys.part(i), keys_out.part(i), values.part(i), values_out.part(i), keys.offsets(),
                            keys_out.offsets(), order);
  });
}

// The index of every element among all.
inline void number_elements(const communicator_rank& m, device_span<std::uint64_t> places, std::uint64_t first) {
  upsweep::iota(m.where(), places, first);
}

template <class K, class Order>
void argsort_over(const communicator& g, const distributed<K>& keys, distributed<std::uint64_t>& places,
                  const Order& order) {
  core::require_one_group("argsort", g, keys.comm()), core::require_one_group("argsort", g, places.comm());
  core::require_same_size("argsort", "there are # keys and # elements for indices", keys.size(), places.size());
  g.for_each_rank("argsort", [&](communicator_rank& m) {
    const auto in = keys.part(m.local_rank());
    const auto out = places.part(m.local_rank());
    const auto numbers = m.scratch<std::uint64_t>("group/numbers", in.size());
    core::number_elements(m, numbers, keys.first(m.rank()));
    const auto sorted = m.scratch<K>("group/keys sorted", out.size());
    core::sort_across<K, std::uint64_t>(m, in, sorted, numbers, out, keys.offsets(), places.offsets(), order);
  });
}

// The best.size() first keys of all, on every process.
template <class K, class Order>
void top_over(const communicator& g, const distributed<K>& in, std::span<K> best, std::span<std::uint64_t> places,
              const Order& order) {
  core::require_one_group("top_k", g, in.comm());
  const std::uint64_t k = best.size();
  if (k > in.size())
    core::throw_error(error(fault::bad_argument, "top_k",
                            std::to_string(k) + " of " + std::to_string(in.size()) + " keys",
                            "request at most as many as there are"));
  g.for_each_rank("top_k", [&](communicator_rank& m) {
    const auto part = in.part(m.local_rank());
    const std::uint64_t mine = (std::min)(k, part.size());
    const auto keys = m.scratch<K>("group/best", mine);
    const auto at = m.scratch<std::uint64_t>("group/places", mine);
    if (mine) order.top(m.where(), part, keys, at);
    std::vector<K> first(k), all(k * static_cast<std::uint64_t>(m.size()));
    std::vector<std::uint64_t> first_at(k), all_at(all.size());
    if (mine) {
      upsweep::download(m.where(), keys, std::span<K>(first).first(mine));
      upsweep::download(m.where(), at, std::span<std::uint64_t>(first_at).first(mine));
    }
    for (auto& place : first_at) place += in.first(m.rank());
    m.route().all_gather(first.data(), all.data(), k * sizeof(K));
    m.route().all_gather(first_at.data(), all_at.data(), k * sizeof(std::uint64_t));
    if (m.local_rank() != 0) return;
    std::vector<std::uint64_t> candidates;
    for (int r = 0; r < m.size(); ++r)
      for (std::uint64_t i = 0; i < (std::min)(k, in.size_of(r)); ++i)
        candidates.push_back(static_cast<std::uint64_t>(r) * k + i);
    core::sort_in_place(candidates, [&](std::uint64_t a, std::uint64_t b) {
      if (order(all[a], all[b])) return true;
      return !order(all[b], all[a]) && a < b;
    });
    for (std::uint64_t i = 0; i < k; ++i) {
      best[i] = all[candidates[i]];
      if (!places.empty()) places[i] = all_at[candidates[i]];
    }
  });
}

}  // namespace UPSWEEP_COMPILED
}  // namespace core

inline namespace UPSWEEP_COMPILED {

template <class K>
void sort(const communicator& g, const distributed<K>& in, distributed<K>& out, const sort_options& options = {}) {
  core::sort_over("sort", g, in, out, core::key_order_across<K>("sort", options));
}
template <class K, class Compare>
  requires sort_comparator<Compare, K>
void sort(const communicator& g, const distributed<K>& in, distributed<K>& out, const Compare& compare) {
  core::sort_over("sort", g, in, out, core::compared_order_across<K, Compare>(compare));
}
template <class K>
void sort(const communicator& g, distributed<K>& keys, const sort_options& options = {}) {
  upsweep::sort(g, keys, keys, options);
}
template <class K, class Compare>
  requires sort_comparator<Compare, K>
void sort(const communicator& g, distributed<K>& keys, const Compare& compare) {
  upsweep::sort(g, keys, keys, compare);
}

template <class K, class V>
void sort_by_key(const communicator& g, const distributed<K>& keys, const distributed<V>& values,
                 distributed<K>& keys_out, distributed<V>& values_out, const sort_options& options = {}) {
  core::sort_over("sort_by_key", g, keys, values, keys_out, values_out,
                  core::key_order_across<K>("sort_by_key", options));
}
template <class K, class V, class Compare>
  requires sort_comparator<Compare, K>
void sort_by_key(const communicator& g, const distributed<K>& keys, const distributed<V>& values,
                 distributed<K>& keys_out, distributed<V>& values_out, const Compare& compare) {
  core::sort_over("sort_by_key", g, keys, values, keys_out, values_out,
                  core::compared_order_across<K, Compare>(compare));
}
template <class K, class V>
void sort_by_key(const communicator& g, distributed<K>& keys, distributed<V>& values,
                 const sort_options& options = {}) {
  upsweep::sort_by_key(g, keys, values, keys, values, options);
}
template <class K, class V, class Compare>
  requires sort_comparator<Compare, K>
void sort_by_key(const communicator& g, distributed<K>& keys, distributed<V>& values, const Compare& compare) {
  upsweep::sort_by_key(g, keys, values, keys, values, compare);
}

template <class K>
void argsort(const communicator& g, const distributed<K>& keys, distributed<std::uint64_t>& places,
             const sort_options& options = {}) {
  core::argsort_over(g, keys, places, core::key_order_across<K>("argsort", options));
}
template <class K, class Compare>
  requires sort_comparator<Compare, K>
void argsort(const communicator& g, const distributed<K>& keys, distributed<std::uint64_t>& places,
             const Compare& compare) {
  core::argsort_over(g, keys, places, core::compared_order_across<K, Compare>(compare));
}

template <class K>
void top_k(const communicator& g, const distributed<K>& in, std::span<std::type_identity_t<K>> best,
           std::span<std::uint64_t> places = {}, const sort_options& options = {.descending = true}) {
  core::top_over(g, in, best, places, core::key_order_across<K>("top_k", options));
}
template <class K, class Compare>
  requires sort_comparator<Compare, K>
void top_k(const communicator& g, const distributed<K>& in, std::span<std::type_identity_t<K>> best,
           std::span<std::uint64_t> places, const Compare& compare) {
  core::top_over(g, in, best, places, core::compared_order_across<K, Compare>(compare));
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
