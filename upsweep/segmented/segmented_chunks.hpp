// The overload of reduce_by_key that returns the count, and all overloads on host memory that the device cannot read,
// which is streamed through the device in chunks. A run that a chunk cuts is folded in parts, in order.
#pragma once

#include "upsweep/reduce/reduce_dispatch.hpp"
#include "upsweep/scan/scan_dispatch.hpp"
#include "upsweep/segmented/segmented_dispatch.hpp"

namespace upsweep::detail::segmented_impl {

template <class K, class T, class Op, class F, class By, class Equal = equals>
std::uint64_t runs_reduced(const context& where, operand<const K> keys, operand<const T> in, operand<K> keys_out,
                           operand<T> out, Op op, F f, Equal same = {}) {
  const operand<std::uint64_t> count = counts_in_scratch(where);
  if (in.accessible_from(where)) {
    detail::segmented_impl::reduce_by_key<K, T, Op, F, By>(where, keys, in, keys_out, out, count, op, f, same);
    return fetch_count(where, count);
  }
  require_operator<T, Op>();
  detail::segmented_impl::require_runs<K, T>(where, keys, in, keys_out, out);
  require_trivial_copies<K, T>(where, "reduce_by_key");
  std::uint64_t runs = 0;
  if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<T>)
    core::for_each_chunk(where.device(), in.size(), 2 * (sizeof(K) + sizeof(T)),
                         [&](std::uint64_t first, std::uint64_t n) {
                           const buffer<K> k(where, keys.part(first, n).host());
                           const buffer<T> x(where, in.part(first, n).host());
                           buffer<K> buffer_of_keys(where, n);
                           buffer<T> buffer_of_folds(where, n);
                           const operand<K> run_keys = buffer_of_keys.span();
                           const operand<T> folds = buffer_of_folds.span();
                           detail::segmented_impl::reduce_by_key<K, T, Op, F, By>(where, k.span(), x.span(), run_keys,
                                                                                  folds, count, op, f, same);
                           const bool goes_on = first > 0 && same(keys[first - 1], keys[first]);
                           if (goes_on) {
                             T piece;
                             core::download(where, operand<T>(std::span<T>(&piece, 1)), folds);
                             out[runs - 1] = op(out[runs - 1], piece);
                           }
                           const std::uint64_t fresh = fetch_count(where, count) - goes_on;
                           core::download(where, keys_out.part(runs, fresh), run_keys.part(goes_on, fresh));
                           core::download(where, out.part(runs, fresh), folds.part(goes_on, fresh));
                           runs += fresh;
                         });
  return runs;
}

template <bool Inclusive, class K, class T, class Op, class F, class By, class Equal = equals>
void scanned_by_key(const context& where, operand<const K> keys, operand<const T> in, operand<T> out, T init, Op op,
                    F f, Equal same = {}) {
  if (in.accessible_from(where))
    return detail::segmented_impl::scan_by_key<Inclusive, K, T, Op, F, By>(where, keys, in, out, init, op, f, same);
  require_operator<T, Op>();
  detail::segmented_impl::require_scan<K, T>(where, keys, in, out);
  require_trivial_copies<K, T>(where, "scan_by_key");
  if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<T>) {
    T carry = init;  // what the run that is open begins with in this chunk
    core::for_each_chunk(where.device(), in.size(), sizeof(K) + sizeof(T), [&](std::uint64_t first, std::uint64_t n) {
      // A run that continues from the chunk before goes on as a plain scan.
      std::uint64_t open = 0;
      if (first > 0)
        while (open < n && same(keys[first + open - 1], keys[first + open])) ++open;
      const T last = in[first + n - 1];  // read before an in-place scan overwrites it
      if (open > 0)
        detail::scan_impl::scan_into<Inclusive, T, Op, F, By>(where, in.part(first, open), out.part(first, open), carry,
                                                              op, f);
      if (open < n) {
        const buffer<K> k(where, keys.part(first + open, n - open).host());
        buffer<T> x(where, in.part(first + open, n - open).host());
        detail::segmented_impl::scan_by_key<Inclusive, K, T, Op, F, By>(where, k.span(), x.span(), x.span(), init, op,
                                                                        f, same);
        x.download(out.part(first + open, n - open).host());
      }
      carry = Inclusive ? out[first + n - 1]
                        : static_cast<T>(op(out[first + n - 1], upsweep::to_accumulator(op, T(f(last)))));
    });
  }
}

// Without an init, by an operator without an identity: each run begins with its first value.
template <class K, class T, class Op, class By>
void scanned_by_key(const context& where, operand<const K> keys, operand<const T> in, operand<T> out, const Op& op) {
  using V = core::optional_value<T>;
  require_operator<T, Op>();
  detail::segmented_impl::require_scan<K, T>(where, keys, in, out);
  core::fold_present<T, By>(
      where, "scan_by_key", in, out, op, identity{},
      [&](const auto& elements, const auto& folds, const auto& on_present) {
        detail::segmented_impl::scanned_by_key<true, K, V, std::remove_cvref_t<decltype(on_present)>, identity, By>(
            where, keys, elements, folds, V(), on_present, identity{});
      });
}

// Calls body(first, last, offsets from there) for as many whole segments at a time as fit a chunk, and alone(s) for
// each segment that does not fit one.
template <class Body, class Alone>
void for_each_group_of_segments(const context& where, operand<const std::uint64_t> offsets, std::uint64_t element_bytes,
                                Body body, Alone alone) {
  const std::uint64_t segments = offsets.size() - 1;
  const std::uint64_t chunk = chunk_elements(where.device(), offsets[segments] - offsets[0] + segments,
                                             2 * element_bytes + sizeof(std::uint64_t));
  for (std::uint64_t s = 0; s < segments;) {
    std::uint64_t end = s;
    while (end < segments && (offsets[end + 1] - offsets[s]) + (end + 1 - s) <= chunk) ++end;
    if (end == s) {
      alone(s++);
      continue;
    }
    std::vector<std::uint64_t> local(offsets.data() + s, offsets.data() + end + 1);
    for (std::uint64_t& o : local) o -= offsets[s];
    body(s, end, local);
    s = end;
  }
}

template <class T, class Op, class F, class By>
void segments_reduced(const context& where, operand<const T> in, operand<const std::uint64_t> offsets, operand<T> out,
                      T init, Op op, F f) {
  if (in.accessible_from(where))
    return detail::segmented_impl::segmented_reduce<T, Op, F, By>(where, in, offsets, out, init, op, f);
  require_operator<T, Op>();
  detail::segmented_impl::require_folds<T, By>(where, in, offsets, out);
  require_trivial_copies<T>(where, "segmented_reduce");
  if constexpr (std::is_trivially_copyable_v<T>)
    detail::segmented_impl::for_each_group_of_segments(
        where, offsets, sizeof(T),
        [&](std::uint64_t first, std::uint64_t last, const std::vector<std::uint64_t>& local) {
          const buffer<T> x(where, in.part(offsets[first], local.back()).host());
          const buffer<std::uint64_t> cuts(where, local);
          buffer<T> folds(where, last - first);
          detail::segmented_impl::segmented_reduce<T, Op, F, By>(where, x.span(), cuts.span(), folds.span(), init, op,
                                                                 f);
          folds.download(out.part(first, last - first).host());
        },
        [&](std::uint64_t s) {
          out[s] = detail::reduce_impl::folded<T, Op, F, By>(where, in.part(offsets[s], offsets[s + 1] - offsets[s]),
                                                             init, op, f);
        });
}

template <bool Inclusive, class T, class Op, class F, class By>
void segments_scanned(const context& where, operand<const T> in, operand<const std::uint64_t> offsets, operand<T> out,
                      T init, Op op, F f) {
  if (in.accessible_from(where))
    return detail::segmented_impl::segmented_scan<Inclusive, T, Op, F, By>(where, in, offsets, out, init, op, f);
  require_operator<T, Op>();
  detail::segmented_impl::require_segmented_scan<T, By>(where, in, offsets, out);
  require_trivial_copies<T>(where, "segmented_scan");
  if constexpr (std::is_trivially_copyable_v<T>)
    detail::segmented_impl::for_each_group_of_segments(
        where, offsets, sizeof(T),
        [&](std::uint64_t first, std::uint64_t, const std::vector<std::uint64_t>& local) {
          buffer<T> x(where, in.part(offsets[first], local.back()).host());
          const buffer<std::uint64_t> cuts(where, local);
          detail::segmented_impl::segmented_scan<Inclusive, T, Op, F, By>(where, x.span(), cuts.span(), x.span(), init,
                                                                          op, f);
          x.download(out.part(offsets[first], local.back()).host());
        },
        [&](std::uint64_t s) {
          const std::uint64_t n = offsets[s + 1] - offsets[s];
          detail::scan_impl::scan_into<Inclusive, T, Op, F, By>(where, in.part(offsets[s], n), out.part(offsets[s], n),
                                                                init, op, f);
        });
}

// Without an init, by an operator without an identity: each segment begins with its first element.
template <class T, class Op, class By>
void segments_scanned(const context& where, operand<const T> in, operand<const std::uint64_t> offsets, operand<T> out,
                      const Op& op) {
  using V = core::optional_value<T>;
  require_operator<T, Op>();
  detail::segmented_impl::require_segmented_scan<T, By>(where, in, offsets, out);
  core::fold_present<T, By>(
      where, "segmented_scan", in, out, op, identity{},
      [&](const auto& elements, const auto& folds, const auto& on_present) {
        detail::segmented_impl::segments_scanned<true, V, std::remove_cvref_t<decltype(on_present)>, identity, By>(
            where, elements, offsets, folds, V(), on_present, identity{});
      });
}

}  // namespace upsweep::detail::segmented_impl
