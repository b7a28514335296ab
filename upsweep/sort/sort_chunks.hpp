// Merges sorted chunks in host memory: the end of a sort of more than the device holds. Stable: the earlier chunk's
// keys first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "upsweep/core/operands.hpp"
#include "upsweep/cpu/block_partition.hpp"

namespace upsweep::detail::sort_impl {

// How many of the first `k` merged come from a. Whatever `before` returns, the result is a count that both sides can
// provide.
template <class K, class Before>
std::uint64_t taken_from_first(const K* a, std::uint64_t a_size, const K* b, std::uint64_t b_size, std::uint64_t k,
                               const Before& before) {
  std::uint64_t low = k > b_size ? k - b_size : 0, high = (std::min)(k, a_size);
  while (low < high) {
    const std::uint64_t i = low + (high - low) / 2;
    if (before(b[k - i - 1], a[i])) {
      high = i;
    } else {
      low = i + 1;
    }
  }
  return low;
}

// Calls take(from_a, i, k) for each k in [first, last) of the merged order: element i of a or of b belongs at k.
template <class K, class Before, class Take>
void merge_piece(const K* a, std::uint64_t a_size, const K* b, std::uint64_t b_size, std::uint64_t first,
                 std::uint64_t last, const Before& before, const Take& take) {
  std::uint64_t i = taken_from_first(a, a_size, b, b_size, first, before), j = first - i;
  for (std::uint64_t k = first; k < last; ++k) {
    const bool from_a = j == b_size || (i < a_size && !before(b[j], a[i]));
    take(from_a, from_a ? i++ : j++, k);
  }
}

// In parallel, in pieces.
template <class K, class Before, class Take>
void merge_two(const K* a, std::uint64_t a_size, const K* b, std::uint64_t b_size, const Before& before,
               const Take& take) {
  cpu::for_each_piece(a_size + b_size, 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
    merge_piece(a, a_size, b, b_size, first, last, before, take);
  });
}

// Merges sorted runs [bounds[r], bounds[r + 1]) of keys, with values or null.
template <class K, class V, class Before>
void merge_runs(K* keys, V* values, std::vector<std::uint64_t> bounds, const Before& before) {
  if (bounds.size() <= 2) return;
  const std::uint64_t n = bounds.back();
  const core::host_array<K> other_keys(n);
  const core::host_array<V> other_values(values ? n : 0);
  K *from = keys, *to = other_keys.data();
  V *values_from = values, *values_to = other_values.data();
  while (bounds.size() > 2) {
    std::vector<std::uint64_t> joined{0};
    for (std::size_t r = 0; r + 1 < bounds.size(); r += 2) {
      const std::uint64_t first = bounds[r], middle = bounds[r + 1],
                          last = r + 2 < bounds.size() ? bounds[r + 2] : middle;
      merge_two(from + first, middle - first, from + middle, last - middle, before,
                [&](bool from_a, std::uint64_t i, std::uint64_t k) {
                  const std::uint64_t source = (from_a ? first : middle) + i;
                  to[first + k] = from[source];
                  if (values) values_to[first + k] = values_from[source];
                });
      joined.push_back(last);
    }
    bounds = std::move(joined);
    std::swap(from, to);
    std::swap(values_from, values_to);
  }
  if (from == keys) return;
  std::copy_n(from, n, keys);
  if (values) std::copy_n(values_from, n, values);
}

}  // namespace upsweep::detail::sort_impl
