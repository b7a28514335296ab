// CUB's merge sort, its merge, and its sorts by segment, with their scratch allocated beforehand.
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "peers/cub.hpp"
#include "peers/sort.hpp"

namespace upsweep::peers::UPSWEEP_CUB {

namespace {

using problem = detail::sort_impl::problem;
using primitive = detail::sort_impl::primitive;

// A call by the type of the keys.
template <class F>
cudaError_t by_key(const problem& p, F f) {
  cudaError_t done = cudaSuccess;
  with_gpu_key(p.type, [&](auto tag) { done = f(tag); });
  return done;
}

template <bool Stable, class Count>
cudaError_t merge_sort(const cub_launch& l, const problem& p) {
  return by_key(p, [&]<class K>(type_tag<K>) {
    const K* in = p.in.as<const K>();
    K* out = p.out.as<K>();
    const auto n = static_cast<Count>(p.n);
    if constexpr (Stable)
      return cub::DeviceMergeSort::StableSortKeysCopy(l.scratch, l.bytes, in, out, n, ::cuda::std::less<>{}, l.stream);
    else
      return cub::DeviceMergeSort::SortKeysCopy(l.scratch, l.bytes, in, out, n, ::cuda::std::less<>{}, l.stream);
  });
}

enum class by_segment { sort, stable_sort, radix };

template <by_segment How>
cudaError_t segmented(const cub_launch& l, const problem& p) {
  return by_key(p, [&]<class K>(type_tag<K>) {
    const K* in = p.in.as<const K>();
    K* out = p.out.as<K>();
    const auto n = static_cast<std::int64_t>(p.n), m = static_cast<std::int64_t>(p.m);
    const auto* offsets = p.in3.as<const std::uint64_t>();
    if constexpr (How == by_segment::radix)
      return cub::DeviceSegmentedRadixSort::SortKeys(l.scratch, l.bytes, in, out, n, m, offsets, offsets + 1, 0,
                                                     static_cast<int>(8 * sizeof(K)), l.stream);
    else if constexpr (How == by_segment::stable_sort)
      return cub::DeviceSegmentedSort::StableSortKeys(l.scratch, l.bytes, in, out, n, m, offsets, offsets + 1,
                                                      l.stream);
    else
      return cub::DeviceSegmentedSort::SortKeys(l.scratch, l.bytes, in, out, n, m, offsets, offsets + 1, l.stream);
  });
}

cudaError_t merge(const cub_launch& l, const problem& p) {
  return by_key(p, [&]<class K>(type_tag<K>) {
    return cub::DeviceMerge::MergeKeys(l.scratch, l.bytes, p.in.as<const K>(), static_cast<std::int64_t>(p.n),
                                       p.in2.as<const K>(), static_cast<std::int64_t>(p.m), p.out.as<K>(),
                                       ::cuda::std::less<>{}, l.stream);
  });
}

template <bool Stable, class Count>
void add_merge_sort(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{
      cub_name("merge-sort"), cub_version(), "DeviceMergeSort, scratch allocated beforehand", backend::cuda,
      primitive::sort, [](const problem& p) { return takes_gpu_keys(p) && p.n > 0 && fits_count<Count>(p.n); },
      prepare_cub<problem, merge_sort<Stable, Count>>,
      std::string(Stable ? "StableSortKeys, " : "SortKeys, ") + count_name<Count>});
}

template <by_segment How>
void add_segmented_sort(std::vector<peer>& list, const char* setting) {
  list.push_back(peer_for<problem>{
      cub_name(), cub_version(), "by segment, scratch allocated beforehand", backend::cuda, primitive::segmented_sort,
      [](const problem& p) { return takes_gpu_keys(p) && p.n > 0 && fits_count<std::int32_t>(p.n); },
      prepare_cub<problem, segmented<How>>, setting});
}

}  // namespace

void add_merge_sorts(std::vector<peer>& list) {
  add_merge_sort<false, std::uint32_t>(list);
  add_merge_sort<false, std::uint64_t>(list);
  add_merge_sort<true, std::uint32_t>(list);
  add_merge_sort<true, std::uint64_t>(list);
  list.push_back(peer_for<problem>{
      cub_name(), cub_version(), "DeviceMerge, scratch allocated beforehand", backend::cuda, primitive::merge,
      [](const problem& p) { return takes_gpu_keys(p) && p.n + p.m > 0; }, prepare_cub<problem, merge>});
}

void add_segmented_sorts(std::vector<peer>& list) {
  add_segmented_sort<by_segment::sort>(list, "DeviceSegmentedSort::SortKeys");
  add_segmented_sort<by_segment::stable_sort>(list, "DeviceSegmentedSort::StableSortKeys");
  add_segmented_sort<by_segment::radix>(list, "DeviceSegmentedRadixSort");
}

}  // namespace upsweep::peers::UPSWEEP_CUB
