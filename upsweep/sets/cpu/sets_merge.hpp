// merge_by_key of memory, on the CPU. All elements are kept, so pieces begin at cuts of the merge path, and keys and
// values go directly to their positions. This code does not trust the comparison.
#pragma once

#include <vector>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/sort/cpu/sort_cpu_merge.hpp"

namespace upsweep::cpu {

// The remaining parts of two sorted sequences, with their values.
template <class K, class V>
struct pair_of_rows {
  const K* a;
  const V* a_values;
  std::uint64_t n;
  const K* b;
  const V* b_values;
  std::uint64_t m;
};

template <class K, class V, class Less>
void merge_rows_from_the_front(const pair_of_rows<K, V>& in, K* out, V* values, const Less& less) {
  std::uint64_t i = 0, j = 0;
  while (i < in.n && j < in.m) {
    const bool second = less(in.b[j], in.a[i]);
    *out++ = second ? in.b[j] : in.a[i];
    *values++ = second ? in.b_values[j] : in.a_values[i];
    j += second, i += !second;
  }
  std::copy(in.b + j, in.b + in.m, std::copy(in.a + i, in.a + in.n, out));
  std::copy(in.b_values + j, in.b_values + in.m, std::copy(in.a_values + i, in.a_values + in.n, values));
}

// From both ends at once, like merge_sequentially.
template <class K, class V, class Less>
void merge_rows_sequentially(pair_of_rows<K, V> in, K* out, V* values, const Less& less) {
  constexpr std::uint64_t few = 4;
  for (std::uint64_t steps; (steps = (std::min)(in.n, in.m)) >= few;) {
    std::uint64_t i = 0, j = 0, left_a = in.n, left_b = in.m;
    const std::uint64_t last = in.n + in.m - 1;
    for (std::uint64_t s = 0; s < steps; ++s) {
      const bool second = less(in.b[j], in.a[i]);
      const std::uint64_t from = second ? j : i;
      out[s] = (second ? in.b : in.a)[from];
      values[s] = (second ? in.b_values : in.a_values)[from];
      j += second, i += !second;
      const bool first = less(in.b[left_b - 1], in.a[left_a - 1]);
      const std::uint64_t behind = (first ? left_a : left_b) - 1;
      out[last - s] = (first ? in.a : in.b)[behind];
      values[last - s] = (first ? in.a_values : in.b_values)[behind];
      left_a -= first, left_b -= !first;
    }
    if (i > left_a || j > left_b)  // an inconsistent comparison
      return merge_rows_from_the_front(in, out, values, less);
    in = {in.a + i, in.a_values + i, left_a - i, in.b + j, in.b_values + j, left_b - j};
    out += steps, values += steps;
  }
  merge_rows_from_the_front(in, out, values, less);
}

// The outputs must not overlap the inputs.
template <class K, class V, class Less>
void merge_rows(upsweep::device& d, const pair_of_rows<K, V>& in, K* out, V* values, const Less& less) {
  static constinit pace known;
  const std::uint64_t all = in.n + in.m,
                      piece = in.n && in.m
                                  ? upsweep::cpu::piece_by_pace(
                                        d, known, all, [&] { (void)static_cast<bool>(less(in.b[0], in.a[0])); })
                                  : merge_piece,
                      pieces = upsweep::cpu::block_count(all, piece);
  if (pieces <= 1 || (threads_of(d) == 1 && piece == merge_piece))
    return upsweep::cpu::merge_rows_sequentially(in, out, values, less);
  const auto cut = upsweep::cpu::cuts_of_merge(d, in.a, in.n, in.b, in.m, less, piece);
  upsweep::cpu::for_each_block(d, pieces, [&](std::uint64_t p, const stop_flag&) {
    const std::uint64_t first = p * piece, last = (std::min)(all, first + piece), i = cut[p], j = first - i;
    upsweep::cpu::merge_rows_sequentially<K, V>(
        {in.a + i, in.a_values + i, cut[p + 1] - i, in.b + j, in.b_values + j, last - cut[p + 1] - j}, out + first,
        values + first, less);
  });
}

}  // namespace upsweep::cpu
