// grouped: what is equal anywhere in the input, brought together by a sort: counts of keys, the most frequent one, the
// first of equal ones, groups, folds by bucket; and the first of many in order with the values beside them.
//
//   std::uint64_t kinds = upsweep::histogram_by_key(gpu, words.span(), distinct.span(), counts.span());
//   auto [value, count] = upsweep::mode(cpu, readings);
//   std::uint64_t left = upsweep::remove_duplicates(cpu, ids, out);                    // the first of each, in order
//   std::uint64_t groups = upsweep::group_by_key(gpu, k.span(), v.span(), k2.span(), v2.span(), offsets.span());
//   upsweep::reduce_by_index(cpu, buckets, amounts, sums);
//   upsweep::top_k_by_key(gpu, scores.span(), rows.span(), best.span(), best_rows.span());
//   upsweep::rank(gpu, scores.span(), places.span(), {.descending = true}, upsweep::ties::least);
//
//   histogram_by_key   the different keys, ascending, and how often each is there
//   mode               the key that is there most often, the least of those, and how often
//   remove_duplicates  the first of all elements that are equal, in the order of the input
//   group_by_key       keys and values sorted by key, equal keys in the order of the input, and where each group
//                      begins; behind those n: one offset more than there are groups
//   reduce_by_index    out[k] = the fold, in the order of the input, of values[i] with indices[i] == k; the operator's
//                      identity where there is none
//   top_k_by_key       the best_keys.size() first keys in order, the largest unless the options say otherwise, as in
//                      top_k, or the first that a comparator orders, and their values
//   rank               out[i] = the place of key i among the sorted ones, counted from 0. Equal ones in turn, as they
//                      stand (a permutation: what argsort gives, turned around); ties::least: all at the first of
//                      their places; ties::dense: numbered by different keys, none left out
//
// Result       How many keys are kept (different ones, groups) is returned. What lies beyond them in an output is
//              unspecified. Keys are equal as == says: the zeros of both signs are, and every NaN is a key of its own.
// Requires     keys of a built-in type (top_k_by_key and rank by a comparator: any), other elements trivially
//              copyable. Outputs that could hold all of the input; group_by_key's offsets n + 1, its keys and values
//              exactly n. Indices are u64, and below out.size(). Ranks are u64 or u32.
//              Inputs and outputs have no memory in common. mode wants one key at least.
// Work         sorts, and a few passes beside them. Host memory is worked on by the CPU whatever the context.
// Scratch      keys, values, counts and indices once more, owned by the context.
// Determinism  the result is fixed by the inputs alone, but for sums of floats, which reduce_by_key groups.
// Asynchrony   the forms that return something wait for it; the others are enqueued, but reduce_by_index waits once.
// Errors       upsweep::error: sizes that differ, outputs that are too small, overlap, an index past the end (where the
//              CPU works, and in checked calls), a type or operator that the device cannot take.
#pragma once

#include "upsweep/compact.hpp"
#include "upsweep/grouped/rank.hpp"
#include "upsweep/grouped/scratch.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {

template <class T>
struct most_frequent {
  T value;
  std::uint64_t count;
};

inline namespace UPSWEEP_COMPILED {

template <class X, class K, class C>
  requires operands<X, K, C>
std::uint64_t histogram_by_key(const context& asked, const X& in, K&& keys, C&& counts) {
  using T = element_of<X>;
  grouped_room::require_keys<T>();
  const context where = grouped_room::worked_on_by<X>(asked);
  const auto from = grouped_room::read_span(in);
  const auto to = grouped_room::written_span(keys);
  const auto lengths = grouped_room::written_span(counts);
  core::require_apart("histogram_by_key", where,
                      {{"the input", core::read_operand(in)},
                       {"the keys", core::operand<T>(to)},
                       {"the counts", core::operand<std::uint64_t>(lengths)}});
  const auto sorted = grouped_room::scratch_of<T>(where, "grouped/keys", from.size());
  upsweep::sort(where, from, sorted);
  return upsweep::run_length_encode(where, sorted, to, lengths);
}

template <class X>
  requires operands<X>
most_frequent<element_of<X>> mode(const context& asked, const X& in) {
  using T = element_of<X>;
  const context where = grouped_room::worked_on_by<X>(asked);
  const auto from = grouped_room::read_span(in);
  if (from.size() == 0) throw error(fault::bad_argument, "mode", "there are no elements", "give it one at least");
  const auto keys = grouped_room::scratch_of<T>(where, "grouped/different keys", from.size());
  const auto counts = grouped_room::scratch_of<std::uint64_t>(where, "grouped/counts", from.size());
  const std::uint64_t runs = upsweep::histogram_by_key(where, from, keys, counts);
  const auto best = grouped_room::scratch_of<std::uint64_t>(where, "grouped/best", 2);
  upsweep::top_k(where, counts.subspan(0, runs), best.subspan(0, 1), best.subspan(1, 1));
  const std::uint64_t at = grouped_room::fetched<std::uint64_t>(where, best, 1);
  return {grouped_room::fetched<T>(where, keys, at), grouped_room::fetched<std::uint64_t>(where, best, 0)};
}

template <class X, class Y>
  requires operands<X, Y>
std::uint64_t remove_duplicates(const context& asked, const X& in, Y&& out) {
  using T = element_of<X>;
  grouped_room::require_keys<T>();
  const context where = grouped_room::worked_on_by<X>(asked);
  const auto from = grouped_room::read_span(in);
  const auto to = grouped_room::written_span(out);
  core::require_room("remove_duplicates", "the output", to.size(), from.size());
  core::require_apart("remove_duplicates", where,
                      {{"the input", core::read_operand(in)}, {"the output", core::operand<T>(to)}});
  const auto keys = grouped_room::scratch_of<T>(where, "grouped/keys", from.size());
  const auto indices = grouped_room::scratch_of<std::uint64_t>(where, "grouped/indices", from.size());
  upsweep::argsort(where, from, keys, indices);
  // Sorts are stable: of equal keys the first one's index stands first.
  const std::uint64_t kept = upsweep::unique_by_key(where, keys, indices);
  const auto first = indices.subspan(0, kept);
  upsweep::sort(where, first);
  upsweep::gather(where, from, first, to.subspan(0, kept));
  if (where.kind() != backend::cpu) where.synchronize();
  return kept;
}

template <class K, class V, class KOut, class VOut, class O>
  requires operands<K, V, KOut, VOut, O>
std::uint64_t group_by_key(const context& asked, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out,
                           O&& offsets) {
  grouped_room::require_keys<element_of<K>>();
  const context where = grouped_room::worked_on_by<K>(asked);
  const auto sorted = grouped_room::written_span(keys_out);
  const auto to = grouped_room::written_span(offsets);
  const auto from = grouped_room::read_span(keys);
  core::require_room("group_by_key", "the offsets", to.size(), from.size() + 1);
  upsweep::sort_by_key(where, from, grouped_room::read_span(values), sorted, grouped_room::written_span(values_out));
  return upsweep::group_by(where, sorted, to);
}

template <class I, class V, class Y, class Op = plus>
  requires operands<I, V, Y>
void reduce_by_index(const context& asked, const I& indices, const V& values, Y&& out, Op op = {}) {
  using T = element_of<V>;
  static_assert(std::is_same_v<element_of<I>, std::uint64_t>, "upsweep: indices are of std::uint64_t");
  static_assert(std::is_same_v<element_of<Y>, T>, "upsweep: the values and the output have one type");
  const auto fold = core::as_operator<T>(op);
  core::require_fold<T, std::remove_const_t<decltype(fold)>>();
  const context where = grouped_room::worked_on_by<Y>(asked);
  const auto at = grouped_room::read_span(indices);
  const auto from = grouped_room::read_span(values);
  const auto to = grouped_room::written_span(out);
  const std::uint64_t n = at.size();
  core::require_same_size("reduce_by_index", "there are # indices and # values", n, from.size());
  core::require_apart("reduce_by_index", where,
                      {{"the indices", core::read_operand(indices)},
                       {"the values", core::read_operand(values)},
                       {"the output", core::operand<T>(to)}});
  const auto keys = grouped_room::scratch_of<std::uint64_t>(where, "grouped/indices", n);
  const auto sorted = grouped_room::scratch_of<T>(where, "grouped/values", n);
  const auto buckets = grouped_room::scratch_of<std::uint64_t>(where, "grouped/buckets", n);
  const auto folds = grouped_room::scratch_of<T>(where, "grouped/folds", n);
  const auto flags = grouped_room::scratch_of<std::uint8_t>(where, "grouped/flags", n);
  upsweep::sort_by_key(where, at, from, keys, sorted);
  const std::uint64_t runs = upsweep::reduce_by_key(where, keys, sorted, buckets, folds, fold);
  upsweep::fill(where, to, identity_of<T>(fold));
  upsweep::fill(where, flags.subspan(0, runs), std::uint8_t{1});
  upsweep::scatter_if(where, folds.subspan(0, runs), buckets.subspan(0, runs), flags.subspan(0, runs), to);
}

}  // namespace UPSWEEP_COMPILED

namespace grouped_room {
inline namespace UPSWEEP_COMPILED {

// In the order that options or a comparator give.
template <class K, class V, class KOut, class VOut, class Order>
void top_pairs(const context& asked, const K& keys, const V& values, KOut& best_keys, VOut& best_values,
               const Order& order) {
  const char* const call = "top_k_by_key";
  const context where = grouped_room::worked_on_by<K>(asked);
  const auto from = grouped_room::read_span(keys);
  const auto beside = grouped_room::read_span(values);
  const auto to = grouped_room::written_span(best_keys);
  const auto values_to = grouped_room::written_span(best_values);
  core::require_same_size(call, "there are # keys and # values", from.size(), beside.size());
  core::require_same_size(call, "the keys' output has # elements and the values' output #", to.size(),
                          values_to.size());
  core::require_apart(call, where,
                      {{"the keys", core::read_operand(keys)},
                       {"the values", core::read_operand(values)},
                       {"the keys' output", core::operand<element_of<K>>(to)},
                       {"the values' output", core::operand<element_of<V>>(values_to)}});
  const auto indices = grouped_room::scratch_of<std::uint64_t>(where, "grouped/indices", to.size());
  upsweep::top_k(where, from, to, indices, order);
  upsweep::gather(where, beside, indices, values_to);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace grouped_room

inline namespace UPSWEEP_COMPILED {

template <class K, class V, class KOut, class VOut>
  requires operands<K, V, KOut, VOut>
void top_k_by_key(const context& where, const K& keys, const V& values, KOut&& best_keys, VOut&& best_values,
                  const sort_options& options = {.descending = true}) {
  grouped_room::require_keys<element_of<K>>();
  grouped_room::top_pairs(where, keys, values, best_keys, best_values, options);
}
// The first ones as `compare` orders them.
template <class K, class V, class KOut, class VOut, class Compare>
  requires operands<K, V, KOut, VOut> && sort_comparator<Compare, element_of<K>>
void top_k_by_key(const context& where, const K& keys, const V& values, KOut&& best_keys, VOut&& best_values,
                  const Compare& compare) {
  grouped_room::top_pairs(where, keys, values, best_keys, best_values, compare);
}

// ---- rank

template <class K, class R>
  requires operands<K, R>
void rank(const context& where, const K& keys, R&& out, const sort_options& options = {}, ties equal = ties::in_turn) {
  grouped_room::ranked(where, keys, out, options, equal);
}
template <class K, class R, class Compare>
  requires operands<K, R> && sort_comparator<Compare, element_of<K>>
void rank(const context& where, const K& keys, R&& out, const Compare& compare) {
  grouped_room::ranked(where, keys, out, compare, ties::in_turn);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
