// grouped: operations on equal keys anywhere in the input, by way of a sort: counts of keys, the mode, removal of
// duplicates, groups, reductions by index; also top-k with values, and ranks.
//
//   std::uint64_t kinds = upsweep::histogram_by_key(gpu, words.span(), distinct.span(), counts.span());
//   auto [value, count] = upsweep::mode(cpu, readings);
//   std::uint64_t left = upsweep::remove_duplicates(cpu, ids, out);                    // the first of each, in order
//   std::uint64_t groups = upsweep::group_by_key(gpu, k.span(), v.span(), k2.span(), v2.span(), offsets.span());
//   upsweep::reduce_by_index(cpu, buckets, amounts, sums);
//   upsweep::top_k_by_key(gpu, scores.span(), rows.span(), best.span(), best_rows.span());
//   upsweep::rank(gpu, scores.span(), ranks.span(), {.descending = true}, upsweep::ties::min);
//
//   histogram_by_key   the distinct keys in ascending order, and the count of each (numpy.unique with counts)
//   mode               the most frequent key, the smallest one of several, and its count
//   remove_duplicates  the first of all equal elements, in the order of the input
//   group_by_key       keys and values sorted by key, equal keys in the order of the input; also the offset at which
//                      each group begins, then n: one offset more than there are groups
//   reduce_by_index    out[k] = the reduction, in the order of the input, of values[i] with indices[i] == k; the
//                      operator's identity if there are none
//   top_k_by_key       the first best_keys.size() keys in order, the largest unless the options choose otherwise, as
//                      in top_k, or the first that a comparator orders; and their values
//   rank               out[i] = the position of key i among the sorted keys, counted from 0. With ties::ordinal, equal
//                      keys keep the order of the input, so the ranks are the inverse permutation of argsort's result.
//                      With ties::min, equal keys all have the first of their positions. With ties::dense, distinct
//                      keys are numbered without gaps
//
// Result       The number of kept keys (distinct keys, groups) is returned. The rest of an output is unspecified. Keys
//              are compared with ==: zeros of both signs are equal, and every NaN is a key of its own.
// Requires     Keys of a built-in type (top_k_by_key and rank with a comparator: any type), other elements trivially
//              copyable. Outputs large enough for the whole input; group_by_key's offsets n + 1, its keys and values
//              exactly n. Indices are u64 and below out.size(). Ranks are u64 or u32. Inputs and outputs do not
//              overlap. mode needs at least one key.
// Work         Sorts, and a few more passes. The CPU processes host memory whatever the context.
// Scratch      As much as keys, values, counts and indices together, owned by the context.
// Determinism  The result depends on the inputs alone, except for sums of floats, which are grouped as in
//              reduce_by_key.
// Asynchrony   Forms that return a value wait for it; the others are enqueued.
// Errors       upsweep::error: sizes that differ, outputs that are too small, overlap, an index out of range (on the
//              CPU, and in checked calls), a type or operator that the device does not support.
#pragma once

#include "upsweep/compact.hpp"
#include "upsweep/core/calls_in_progress.hpp"
#include "upsweep/device_counted/device_counted_steps.hpp"
#include "upsweep/grouped/grouped_rank.hpp"
#include "upsweep/grouped/grouped_scratch.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {

template <class T>
struct mode_result {
  T value;
  std::uint64_t count;
};

inline namespace UPSWEEP_COMPILED {

template <class X, class K, class C>
  requires operands<X, K, C>
std::uint64_t histogram_by_key(const context& asked, const X& in, K&& keys, C&& counts) {
  using T = element_of<X>;
  detail::grouped_impl::require_keys<T>();
  const context where = detail::grouped_impl::worked_on_by<X>(asked);
  const core::running_call scratch_in_use;
  where.device().require_no_capture("histogram_by_key");
  const auto from = detail::grouped_impl::read_span(in);
  const auto to = detail::grouped_impl::written_span(keys);
  const auto lengths = detail::grouped_impl::written_span(counts);
  core::require_no_overlap("histogram_by_key", where,
                           {{"the input", core::read_operand(in)},
                            {"the keys", core::operand<T>(to)},
                            {"the counts", core::operand<std::uint64_t>(lengths)}});
  const auto sorted = detail::grouped_impl::scratch_of<T>(where, "grouped/keys", from.size());
  upsweep::sort(where, from, sorted);
  return upsweep::run_length_encode(where, sorted, to, lengths);
}

template <class X>
  requires operands<X>
mode_result<element_of<X>> mode(const context& asked, const X& in) {
  using T = element_of<X>;
  const context where = detail::grouped_impl::worked_on_by<X>(asked);
  const core::running_call scratch_in_use;
  where.device().require_no_capture("mode");
  const auto from = detail::grouped_impl::read_span(in);
  if (from.size() == 0)
    core::throw_error(error(fault::bad_argument, "mode", "there are no elements", "give at least one"));
  const auto keys = detail::grouped_impl::scratch_of<T>(where, "grouped/different keys", from.size());
  const auto counts = detail::grouped_impl::scratch_of<std::uint64_t>(where, "grouped/counts", from.size());
  const std::uint64_t runs = upsweep::histogram_by_key(where, from, keys, counts);
  const auto best = detail::grouped_impl::scratch_of<std::uint64_t>(where, "grouped/best", 2);
  upsweep::top_k(where, counts.subspan(0, runs), best.subspan(0, 1), best.subspan(1, 1));
  const std::uint64_t at = detail::grouped_impl::fetched<std::uint64_t>(where, best, 1);
  return {detail::grouped_impl::fetched<T>(where, keys, at),
          detail::grouped_impl::fetched<std::uint64_t>(where, best, 0)};
}

template <class X, class Y>
  requires operands<X, Y>
std::uint64_t remove_duplicates(const context& asked, const X& in, Y&& out) {
  using T = element_of<X>;
  detail::grouped_impl::require_keys<T>();
  const context where = detail::grouped_impl::worked_on_by<X>(asked);
  const core::running_call scratch_in_use;
  where.device().require_no_capture("remove_duplicates");
  const auto from = detail::grouped_impl::read_span(in);
  const auto to = detail::grouped_impl::written_span(out);
  core::require_capacity("remove_duplicates", "the output", to.size(), from.size());
  core::require_no_overlap("remove_duplicates", where,
                           {{"the input", core::read_operand(in)}, {"the output", core::operand<T>(to)}});
  const auto keys = detail::grouped_impl::scratch_of<T>(where, "grouped/keys", from.size());
  const auto indices = detail::grouped_impl::scratch_of<std::uint64_t>(where, "grouped/indices", from.size());
  upsweep::argsort(where, from, keys, indices);
  // The sort is stable, so the first index of a run is that of the first equal key in the input.
  const std::uint64_t count = upsweep::unique_by_key(where, keys, indices);
  const auto first = indices.subspan(0, count);
  upsweep::sort(where, first);
  upsweep::gather(where, from, first, to.subspan(0, count));
  if (where.kind() != backend::cpu) where.synchronize();
  return count;
}

template <class K, class V, class KOut, class VOut, class O>
  requires operands<K, V, KOut, VOut, O>
std::uint64_t group_by_key(const context& asked, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out,
                           O&& offsets) {
  detail::grouped_impl::require_keys<element_of<K>>();
  const context where = detail::grouped_impl::worked_on_by<K>(asked);
  const core::running_call scratch_in_use;
  where.device().require_no_capture("group_by_key");
  const auto sorted = detail::grouped_impl::written_span(keys_out);
  const auto to = detail::grouped_impl::written_span(offsets);
  const auto from = detail::grouped_impl::read_span(keys);
  core::require_capacity("group_by_key", "the offsets", to.size(), from.size() + 1);
  upsweep::sort_by_key(where, from, detail::grouped_impl::read_span(values), sorted,
                       detail::grouped_impl::written_span(values_out));
  return upsweep::group_by(where, sorted, to);
}

template <class I, class V, class Y, class Op = plus>
  requires operands<I, V, Y>
void reduce_by_index(const context& asked, const I& indices, const V& values, Y&& out, Op op = {}) {
  using T = element_of<V>;
  static_assert(std::is_same_v<element_of<I>, std::uint64_t>, "upsweep: the indices must be std::uint64_t");
  static_assert(std::is_same_v<element_of<Y>, T>, "upsweep: the values and the output must have the same type");
  const auto fold = core::as_operator<T>(op);
  core::require_fold<T, std::remove_const_t<decltype(fold)>>();
  const context where = detail::grouped_impl::worked_on_by<Y>(asked);
  const core::running_call scratch_in_use;
  const auto at = detail::grouped_impl::read_span(indices);
  const auto from = detail::grouped_impl::read_span(values);
  const auto to = detail::grouped_impl::written_span(out);
  const std::uint64_t n = at.size();
  core::require_same_size("reduce_by_index", "there are # indices and # values", n, from.size());
  core::require_no_overlap("reduce_by_index", where,
                           {{"the indices", core::read_operand(indices)},
                            {"the values", core::read_operand(values)},
                            {"the output", core::operand<T>(to)}});
  const auto keys = detail::grouped_impl::scratch_of<std::uint64_t>(where, "grouped/indices", n);
  const auto sorted = detail::grouped_impl::scratch_of<T>(where, "grouped/values", n);
  const auto buckets = detail::grouped_impl::scratch_of<std::uint64_t>(where, "grouped/buckets", n);
  const auto folds = detail::grouped_impl::scratch_of<T>(where, "grouped/folds", n);
  const auto flags = detail::grouped_impl::scratch_of<std::uint8_t>(where, "grouped/flags", n);
  upsweep::sort_by_key(where, at, from, keys, sorted);
  upsweep::fill(where, to, identity_of<T>(fold));
  if (n == 0) return;
  upsweep::fill(where, flags, std::uint8_t{1});
  if (where.kind() == backend::cpu) {
    const std::uint64_t runs = upsweep::reduce_by_key(where, keys, sorted, buckets, folds, fold);
    upsweep::scatter_if(where, folds.subspan(0, runs), buckets.subspan(0, runs), flags.subspan(0, runs), to);
  } else {
    // The number of runs is known only on the device, where this step clears the flags beyond it.
    const auto runs = detail::grouped_impl::scratch_of<std::uint64_t>(where, "grouped/runs", 1);
    const auto of_runs = detail::grouped_impl::scratch_of<std::uint8_t>(where, "grouped/of runs", n);
    upsweep::reduce_by_key(where, keys, sorted, buckets, folds, runs, fold);
    detail::device_counted_impl::step only_runs;
    only_runs.what = detail::device_counted_impl::step_kind::pad, only_runs.size = n, only_runs.word_bytes = 1;
    only_runs.in = flags.where(), only_runs.out = of_runs.where(), only_runs.count = runs.where();
    detail::device_counted_impl::run(where.device(), only_runs);
    upsweep::scatter_if(where, folds, buckets, of_runs, to);
  }
}

}  // namespace UPSWEEP_COMPILED

namespace detail::grouped_impl {
inline namespace UPSWEEP_COMPILED {

// `order` is sort_options or a comparator.
template <class K, class V, class KOut, class VOut, class Order>
void top_pairs(const context& asked, const K& keys, const V& values, KOut& best_keys, VOut& best_values,
               const Order& order) {
  const char* const call = "top_k_by_key";
  const context where = detail::grouped_impl::worked_on_by<K>(asked);
  const core::running_call scratch_in_use;
  const auto from = detail::grouped_impl::read_span(keys);
  const auto values_from = detail::grouped_impl::read_span(values);
  const auto to = detail::grouped_impl::written_span(best_keys);
  const auto values_to = detail::grouped_impl::written_span(best_values);
  core::require_same_size(call, "there are # keys and # values", from.size(), values_from.size());
  core::require_same_size(call, "the keys' output has # elements and the values' output #", to.size(),
                          values_to.size());
  core::require_no_overlap(call, where,
                           {{"the keys", core::read_operand(keys)},
                            {"the values", core::read_operand(values)},
                            {"the keys' output", core::operand<element_of<K>>(to)},
                            {"the values' output", core::operand<element_of<V>>(values_to)}});
  const auto indices = detail::grouped_impl::scratch_of<std::uint64_t>(where, "grouped/indices", to.size());
  upsweep::top_k(where, from, to, indices, order);
  upsweep::gather(where, values_from, indices, values_to);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace detail::grouped_impl

inline namespace UPSWEEP_COMPILED {

template <class K, class V, class KOut, class VOut>
  requires operands<K, V, KOut, VOut>
void top_k_by_key(const context& where, const K& keys, const V& values, KOut&& best_keys, VOut&& best_values,
                  const sort_options& options = {.descending = true}) {
  detail::grouped_impl::require_keys<element_of<K>>();
  detail::grouped_impl::top_pairs(where, keys, values, best_keys, best_values, options);
}
// The first keys in the order of `compare`.
template <class K, class V, class KOut, class VOut, class Compare>
  requires operands<K, V, KOut, VOut> && sort_comparator<Compare, element_of<K>>
void top_k_by_key(const context& where, const K& keys, const V& values, KOut&& best_keys, VOut&& best_values,
                  const Compare& compare) {
  detail::grouped_impl::top_pairs(where, keys, values, best_keys, best_values, compare);
}

// ---- rank

template <class K, class R>
  requires operands<K, R>
void rank(const context& where, const K& keys, R&& out, const sort_options& options = {}, ties equal = ties::ordinal) {
  detail::grouped_impl::ranked(where, keys, out, options, equal);
}
template <class K, class R, class Compare>
  requires operands<K, R> && sort_comparator<Compare, element_of<K>>
void rank(const context& where, const K& keys, R&& out, const Compare& compare) {
  detail::grouped_impl::ranked(where, keys, out, compare, ties::ordinal);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
