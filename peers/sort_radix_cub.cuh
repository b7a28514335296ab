// CUB's radix sort, of one type of keys: with each count that a caller could choose, and what it moves along. A file
// for each type includes this, because CUB's sorts take minutes to compile.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include "peers/cub.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::peers::UPSWEEP_CUB {

using sort_problem = detail::sort_impl::problem;

template <class K, class V, class Count>
cudaError_t radix_pairs(const cub_launch& l, const sort_problem& p, Count n, int first, int last) {
  const K* keys = p.in.as<const K>();
  K* sorted = p.out.as<K>();
  const V* values = p.in2.as<const V>();
  V* moved = p.out2.as<V>();
  // What serves top_k.
  if constexpr (sizeof(V) == 8 && sizeof(Count) == 4)
    if (p.descending)
      return cub::DeviceRadixSort::SortPairsDescending(l.scratch, l.bytes, keys, sorted, values, moved, n, first, last,
                                                       l.stream);
  return cub::DeviceRadixSort::SortPairs(l.scratch, l.bytes, keys, sorted, values, moved, n, first, last, l.stream);
}

// Of f64 keys alone are sorted: their pairs take as long as those of u64.
template <class K, class Count>
cudaError_t radix(const cub_launch& l, const sort_problem& p) {
  const int first = p.first_bit, last = p.last_bit ? p.last_bit : static_cast<int>(8 * sizeof(K));
  const auto n = static_cast<Count>(p.n);
  if constexpr (!std::is_same_v<K, double>) {
    if (p.value_bytes == 8) return radix_pairs<K, std::uint64_t>(l, p, n, first, last);
    if (p.value_bytes == 4) return radix_pairs<K, std::uint32_t>(l, p, n, first, last);
  }
  return cub::DeviceRadixSort::SortKeys(l.scratch, l.bytes, p.in.as<const K>(), p.out.as<K>(), n, first, last,
                                        l.stream);
}

template <class K, class Count>
bool takes_radix(const sort_problem& p) {
  if (p.type != dtype_of<K> || p.indices || p.n == 0 || !fits_count<Count>(p.n)) return false;
  if (p.value_bytes != 0 && (std::is_same_v<K, double> || (p.value_bytes != 4 && p.value_bytes != 8))) return false;
  return !p.descending || (p.value_bytes == 8 && sizeof(Count) == 4);
}

// CUB before 3.2 has no selection of the first k, and later ones leave them in no order: a sort of all keys with their
// places, of which the first k are kept.
template <class K>
prepared_for<sort_problem> prepare_top_k(device& d, const sort_problem& p) {
  const std::uint64_t size = size_of(p.type);
  sort_problem sort = p;
  sort.what = detail::sort_impl::primitive::sort, sort.value_bytes = 8;
  const auto unsorted = std::make_shared<cub_scratch>(d, p.n * 8), sorted = std::make_shared<cub_scratch>(d, p.n * 8),
             keys = std::make_shared<cub_scratch>(d, p.n * size);
  sort.in2 = unsorted->where, sort.out2 = sorted->where, sort.out = keys->where;
  std::vector<std::uint64_t> places(p.n);
  for (std::uint64_t i = 0; i < p.n; ++i) places[i] = i;
  d.upload(sort.in2, places.data(), p.n * 8);
  return [call = prepare_cub<sort_problem, radix<K, std::uint32_t>>(d, sort), sort, size, unsorted, sorted, keys,
          &d](const sort_problem& p) {
    sort_problem q = sort;
    q.in = p.in;
    call(q);
    d.copy(p.out, q.out, p.m * size);
    d.copy(p.out2, q.out2, p.m * 8);
  };
}

template <class K, class Count>
void add_radix(std::vector<peer>& list) {
  list.push_back(peer_for<sort_problem>{cub_name(), cub_version(), "DeviceRadixSort, scratch allocated beforehand",
                                        backend::cuda, detail::sort_impl::primitive::sort, takes_radix<K, Count>,
                                        prepare_cub<sort_problem, radix<K, Count>>, count_name<Count>});
}

template <class K>
void add_radix_of(std::vector<peer>& list) {
  add_radix<K, std::uint32_t>(list);
  add_radix<K, std::uint64_t>(list);
  if constexpr (!std::is_same_v<K, double>)
    list.push_back(peer_for<sort_problem>{
        cub_name("full-sort"), cub_version(), "DeviceRadixSort of all keys and their places, the first k kept",
        backend::cuda, detail::sort_impl::primitive::top_k,
        [](const sort_problem& p) { return p.type == dtype_of<K> && p.n > 0 && p.n >> 32 == 0 && p.last_bit == 0; },
        prepare_top_k<K>});
}

void add_radix_u32(std::vector<peer>&);
void add_radix_u64(std::vector<peer>&);
void add_radix_f32(std::vector<peer>&);
void add_radix_f64(std::vector<peer>&);

}  // namespace upsweep::peers::UPSWEEP_CUB
