// The form of reduce_by_key that returns the count, and all forms on host memory: on the CPU they run where the
// operands are, elsewhere they stream through the device in chunks. A run that a chunk cuts is folded in pieces, in
// order.
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented/enqueue.hpp"

namespace upsweep::segmented_room {

template <class... T>
void require_device_types(const context& where, const char* name) {
  if constexpr (!(std::is_trivially_copyable_v<T> && ...)) throw needs_trivial_copies(name, where.kind());
}

template <class K, class T, class Op, class F, class By>
std::uint64_t runs_reduced(const context& where, device_span<const K> keys, device_span<const T> in,
                           device_span<K> keys_out, device_span<T> out, Op op, F f) {
  const device_span<std::uint64_t> count = counts_in_scratch(where);
  segmented_room::reduce_by_key<K, T, Op, F, By>(where, keys, in, keys_out, out, count, op, f);
  return fetch_count(where, count);
}

template <class K, class T, class Op, class F, class By>
std::uint64_t runs_reduced(const context& where, std::span<const K> keys, std::span<const T> in, std::span<K> keys_out,
                           std::span<T> out, Op op, F f) {
  std::uint64_t runs = 0;
  if (where.kind() == backend::cpu) {
    segmented_room::reduce_by_key<K, T, Op, F, By>(where, in_place(keys), in_place(in), in_place(keys_out),
                                                   in_place(out), device_span<std::uint64_t>(&runs, 1), op, f);
    return runs;
  }
  require_fold<T, Op>();
  require_same_size("reduce_by_key", "the keys", keys.size(), "the values", in.size());
  require_room("reduce_by_key", "the keys' output", keys_out.size(), keys.size());
  require_room("reduce_by_key", "the values' output", out.size(), in.size());
  require_device_types<K, T>(where, "reduce_by_key");
  if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<T>)
    for_each_chunk(where, in.size(), 2 * (sizeof(K) + sizeof(T)), [&](std::uint64_t first, std::uint64_t n) {
      const buffer<K> k(where, keys.subspan(first, n));
      const buffer<T> x(where, in.subspan(first, n));
      buffer<K> run_keys(where, n);
      buffer<T> folds(where, n);
      const std::uint64_t some =
          runs_reduced<K, T, Op, F, By>(where, k.span(), x.span(), run_keys.span(), folds.span(), op, f);
      const bool goes_on = first > 0 && keys[first] == keys[first - 1];
      if (goes_on) {
        T piece;
        fetch(where, &piece, device_span<const T>(folds.span().subspan(0, 1)));
        out[runs - 1] = op(out[runs - 1], piece);
      }
      const std::uint64_t fresh = some - goes_on;
      fetch(where, keys_out.data() + runs, device_span<const K>(run_keys.span().subspan(goes_on, fresh)));
      fetch(where, out.data() + runs, device_span<const T>(folds.span().subspan(goes_on, fresh)));
      runs += fresh;
    });
  return runs;
}

template <bool Inclusive, class K, class T, class Op, class F, class By>
void scan_by_key(const context& where, std::span<const K> keys, std::span<const T> in, std::span<T> out, T init, Op op,
                 F f) {
  if (where.kind() == backend::cpu)
    return segmented_room::scan_by_key<Inclusive, K, T, Op, F, By>(where, in_place(keys), in_place(in), in_place(out),
                                                                   init, op, f);
  require_fold<T, Op>();
  require_same_size("scan_by_key", "the keys", keys.size(), "the values", in.size());
  require_same_size("scan_by_key", "the values", in.size(), "the output", out.size());
  require_apart_or_in_place("scan_by_key", backend::cpu,
                            {read_from("the values", in_place(in)), written_to("the output", in_place(out)),
                             read_from("the keys", in_place(keys))});
  require_device_types<K, T>(where, "scan_by_key");
  if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<T>) {
    T carry = init;  // what the run that is open begins with in this chunk
    for_each_chunk(where, in.size(), sizeof(K) + sizeof(T), [&](std::uint64_t first, std::uint64_t n) {
      // What a chunk before has begun goes on as a plain scan.
      std::uint64_t open = 0;
      if (first > 0)
        while (open < n && keys[first + open] == keys[first + open - 1]) ++open;
      const T last = in[first + n - 1];  // read before an in-place scan overwrites it
      if (open > 0)
        scan<Inclusive, T, Op, F, By>(where, in.subspan(first, open), out.subspan(first, open), carry, op, f);
      if (open < n) {
        const buffer<K> k(where, keys.subspan(first + open, n - open));
        buffer<T> x(where, in.subspan(first + open, n - open));
        segmented_room::scan_by_key<Inclusive, K, T, Op, F, By>(where, k.span(), device_span<const T>(x.span()),
                                                                x.span(), init, op, f);
        x.download(out.subspan(first + open, n - open));
      }
      carry = Inclusive ? out[first + n - 1] : static_cast<T>(op(out[first + n - 1], upsweep::lifted(op, T(f(last)))));
    });
  }
}

// Calls body(first, last, offsets from there) for as many whole segments at a time as fit a chunk, and alone(s) for
// each that fits none.
template <class Body, class Alone>
void for_each_group_of_segments(const context& where, std::span<const std::uint64_t> offsets,
                                std::uint64_t element_bytes, Body body, Alone alone) {
  const std::uint64_t segments = offsets.size() - 1;
  const std::uint64_t chunk =
      chunk_elements(where.dev(), offsets[segments] - offsets[0] + segments, 2 * element_bytes + sizeof(std::uint64_t));
  for (std::uint64_t s = 0; s < segments;) {
    std::uint64_t end = s;
    while (end < segments && (offsets[end + 1] - offsets[s]) + (end + 1 - s) <= chunk) ++end;
    if (end == s) {
      alone(s++);
      continue;
    }
    std::vector<std::uint64_t> local(offsets.begin() + static_cast<std::ptrdiff_t>(s),
                                     offsets.begin() + static_cast<std::ptrdiff_t>(end + 1));
    for (std::uint64_t& o : local) o -= offsets[s];
    body(s, end, local);
    s = end;
  }
}

template <class T, class Op, class F, class By>
void segmented_reduce(const context& where, std::span<const T> in, std::span<const std::uint64_t> offsets,
                      std::span<T> out, T init, Op op, F f) {
  if (where.kind() == backend::cpu)
    return segmented_room::segmented_reduce<T, Op, F, By>(where, in_place(in), in_place(offsets), in_place(out), init,
                                                          op, f);
  require_fold<T, Op>();
  const std::uint64_t segments = segments_of("segmented_reduce", offsets.size());
  require_same_size("segmented_reduce", "the segments", segments, "the output", out.size());
  require_offsets(context::cpu(1), "segmented_reduce", in_place(offsets), in.size());
  require_device_types<T>(where, "segmented_reduce");
  if constexpr (std::is_trivially_copyable_v<T>)
    for_each_group_of_segments(
        where, offsets, sizeof(T),
        [&](std::uint64_t first, std::uint64_t last, const std::vector<std::uint64_t>& local) {
          const buffer<T> x(where, in.subspan(offsets[first], local.back()));
          const buffer<std::uint64_t> cuts(where, local);
          buffer<T> folds(where, last - first);
          segmented_room::segmented_reduce<T, Op, F, By>(where, x.span(), cuts.span(), folds.span(), init, op, f);
          folds.download(out.subspan(first, last - first));
        },
        [&](std::uint64_t s) {
          out[s] = upsweep::transform_reduce(where, in.subspan(offsets[s], offsets[s + 1] - offsets[s]), init, op, f);
        });
}

template <bool Inclusive, class T, class Op, class F, class By>
void segmented_scan(const context& where, std::span<const T> in, std::span<const std::uint64_t> offsets,
                    std::span<T> out, T init, Op op, F f) {
  if (where.kind() == backend::cpu)
    return segmented_room::segmented_scan<Inclusive, T, Op, F, By>(where, in_place(in), in_place(offsets),
                                                                   in_place(out), init, op, f);
  require_fold<T, Op>();
  segments_of("segmented_scan", offsets.size());
  require_same_size("segmented_scan", "the values", in.size(), "the output", out.size());
  require_apart_or_in_place("segmented_scan", backend::cpu,
                            {read_from("the values", in_place(in)), written_to("the output", in_place(out)),
                             read_from("the offsets", in_place(offsets))});
  require_offsets(context::cpu(1), "segmented_scan", in_place(offsets), in.size());
  require_device_types<T>(where, "segmented_scan");
  if constexpr (std::is_trivially_copyable_v<T>)
    for_each_group_of_segments(
        where, offsets, sizeof(T),
        [&](std::uint64_t first, std::uint64_t, const std::vector<std::uint64_t>& local) {
          buffer<T> x(where, in.subspan(offsets[first], local.back()));
          const buffer<std::uint64_t> cuts(where, local);
          segmented_room::segmented_scan<Inclusive, T, Op, F, By>(where, device_span<const T>(x.span()), cuts.span(),
                                                                  x.span(), init, op, f);
          x.download(out.subspan(offsets[first], local.back()));
        },
        [&](std::uint64_t s) {
          const std::uint64_t n = offsets[s + 1] - offsets[s];
          scan<Inclusive, T, Op, F, By>(where, in.subspan(offsets[s], n), out.subspan(offsets[s], n), init, op, f);
        });
}

}  // namespace upsweep::segmented_room
