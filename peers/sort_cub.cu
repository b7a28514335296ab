// CUB's device-wide sorts and merge, with their scratch allocated beforehand.
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/version.cuh>

#include <limits>
#include <type_traits>

#include "peers/peers.hpp"
#include "peers/sort.hpp"
#include "upsweep/cuda/device.hpp"

namespace upsweep::peers {

namespace {

using problem = sort_room::problem;
using primitive = sort_room::primitive;
using prepared = prepared_for<problem>;

struct launch {
  void* scratch;
  std::size_t& bytes;
  cudaStream_t stream;
};

// CUB's sorts take minutes to compile, so not every pair of types is here: of keys those of gpu_keys; values as wide as
// the keys, and 8 bytes wide; more than 2^32 keys for u32 and u64.
bool takes_radix(const problem& p) {
  if (!is_gpu_key(p.type) || p.indices || p.n == 0) return false;
  if (p.n >> 32 && (p.value_bytes != 0 || p.type == dtype::f32)) return false;
  if (p.descending && p.value_bytes != 0 && p.value_bytes != 8) return false;
  return p.value_bytes == 0 || p.value_bytes == 8 || p.value_bytes == size_of(p.type);
}

// 32-bit counts where they do, as a careful caller would choose.
template <class K, class Call>
cudaError_t with_count(std::uint64_t n, Call call) {
  if constexpr (std::is_same_v<K, std::uint32_t> || std::is_same_v<K, std::uint64_t>)
    if (n >> 32) return call(n);
  return call(static_cast<std::uint32_t>(n));
}

template <class K, class V>
cudaError_t radix_pairs(const launch& l, const problem& p, int first, int last) {
  const auto n = static_cast<std::uint32_t>(p.n);
  const V* values = p.in2.as<const V>();
  V* moved = p.out2.as<V>();
  if constexpr (sizeof(V) == 8)
    if (p.descending)
      return cub::DeviceRadixSort::SortPairsDescending(l.scratch, l.bytes, p.in.as<const K>(), p.out.as<K>(), values,
                                                       moved, n, first, last, l.stream);
  return cub::DeviceRadixSort::SortPairs(l.scratch, l.bytes, p.in.as<const K>(), p.out.as<K>(), values, moved, n, first,
                                         last, l.stream);
}

template <class K>
cudaError_t radix(const launch& l, const problem& p) {
  const int first = p.first_bit, last = p.last_bit ? p.last_bit : static_cast<int>(8 * sizeof(K));
  if (p.value_bytes == 8) return radix_pairs<K, std::uint64_t>(l, p, first, last);
  if constexpr (sizeof(K) == 4)
    if (p.value_bytes == 4) return radix_pairs<K, std::uint32_t>(l, p, first, last);
  return with_count<K>(p.n, [&](auto n) {
    if (p.descending)
      return cub::DeviceRadixSort::SortKeysDescending(l.scratch, l.bytes, p.in.as<const K>(), p.out.as<K>(), n, first,
                                                      last, l.stream);
    return cub::DeviceRadixSort::SortKeys(l.scratch, l.bytes, p.in.as<const K>(), p.out.as<K>(), n, first, last,
                                          l.stream);
  });
}

template <class K>
cudaError_t merge_sort(const launch& l, const problem& p) {
  return cub::DeviceMergeSort::SortKeysCopy(l.scratch, l.bytes, p.in.as<const K>(), p.out.as<K>(),
                                            static_cast<std::uint32_t>(p.n), ::cuda::std::less<>{}, l.stream);
}

template <class K>
cudaError_t segmented(const launch& l, const problem& p) {
  const auto* offsets = p.in3.as<const std::uint64_t>();
  return cub::DeviceSegmentedSort::StableSortKeys(l.scratch, l.bytes, p.in.as<const K>(), p.out.as<K>(),
                                                  static_cast<std::int64_t>(p.n), static_cast<std::int64_t>(p.m),
                                                  offsets, offsets + 1, l.stream);
}

template <class K>
cudaError_t segmented_radix(const launch& l, const problem& p) {
  const auto* offsets = p.in3.as<const std::uint64_t>();
  return cub::DeviceSegmentedRadixSort::SortKeys(l.scratch, l.bytes, p.in.as<const K>(), p.out.as<K>(),
                                                 static_cast<std::int64_t>(p.n), static_cast<std::int64_t>(p.m),
                                                 offsets, offsets + 1, 0, static_cast<int>(8 * sizeof(K)), l.stream);
}

template <class K>
cudaError_t merge(const launch& l, const problem& p) {
  return cub::DeviceMerge::MergeKeys(l.scratch, l.bytes, p.in.as<const K>(), static_cast<std::int64_t>(p.n),
                                     p.in2.as<const K>(), static_cast<std::int64_t>(p.m), p.out.as<K>(),
                                     ::cuda::std::less<>{}, l.stream);
}

// A call by the type of the keys.
#define UPSWEEP_BY_TYPE(name, call)                                                                                 \
  void name(const launch& l, const problem& p) {                                                                    \
    with_gpu_key(p.type, [&](auto tag) { upsweep::cuda::check(call<typename decltype(tag)::type>(l, p), "CUB"); }); \
  }
UPSWEEP_BY_TYPE(call_radix, radix)
UPSWEEP_BY_TYPE(call_merge_sort, merge_sort)
UPSWEEP_BY_TYPE(call_segmented, segmented)
UPSWEEP_BY_TYPE(call_segmented_radix, segmented_radix)
UPSWEEP_BY_TYPE(call_merge, merge)
#undef UPSWEEP_BY_TYPE

template <void (*Call)(const launch&, const problem&)>
prepared prepare(device& d, const problem& p) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  std::size_t bytes = 0;
  Call({nullptr, bytes, gpu.stream()}, p);
  // No smaller than one byte: a null pointer would ask for the size again.
  void* scratch = d.scratch("peers/cub", bytes + 1).address();
  return [scratch, bytes, stream = gpu.stream()](const problem& p) mutable { Call({scratch, bytes, stream}, p); };
}

// This CUB has no selection of the first k: a sort of all keys with their places, of which the first k are kept.
prepared prepare_top_k(device& d, const problem& p) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  const std::uint64_t size = size_of(p.type);
  problem sort = p;
  sort.what = primitive::sort, sort.value_bytes = 8;
  sort.in2 = d.scratch("peers/places", p.n * 8), sort.out2 = d.scratch("peers/places sorted", p.n * 8);
  sort.out = d.scratch("peers/keys sorted", p.n * size);
  std::vector<std::uint64_t> places(p.n);
  for (std::uint64_t i = 0; i < p.n; ++i) places[i] = i;
  d.upload(sort.in2, places.data(), p.n * 8);
  return [call = prepare<call_radix>(d, sort), sort, size, &d](const problem& p) {
    problem q = sort;
    q.in = p.in;
    call(q);
    d.copy(p.out, q.out, p.m * size);
    d.copy(p.out2, q.out2, p.m * 8);
  };
}

}  // namespace

void add_cub_sorts(std::vector<peer>& list, std::vector<std::string>& absent) {
  const std::string version = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) +
                              "." + std::to_string(CUB_SUBMINOR_VERSION);
  const auto few_segments = [](const problem& p) {
    return takes_keys(p) && is_gpu_key(p.type) && p.n > 0 && p.n <= std::numeric_limits<std::int32_t>::max();
  };
  list.push_back(peer_for<problem>{"cub", version, "DeviceRadixSort, scratch allocated beforehand", backend::cuda,
                                   primitive::sort, takes_radix, prepare<call_radix>});
  list.push_back(peer_for<problem>{
      "cub-merge-sort", version, "DeviceMergeSort, scratch allocated beforehand", backend::cuda, primitive::sort,
      [](const problem& p) { return takes_keys(p) && is_gpu_key(p.type) && p.n > 0 && p.n >> 32 == 0; },
      prepare<call_merge_sort>});
  list.push_back(peer_for<problem>{"cub", version, "DeviceSegmentedSort, scratch allocated beforehand", backend::cuda,
                                   primitive::segmented_sort, few_segments, prepare<call_segmented>});
  list.push_back(peer_for<problem>{"cub-radix", version, "DeviceSegmentedRadixSort, scratch allocated beforehand",
                                   backend::cuda, primitive::segmented_sort, few_segments,
                                   prepare<call_segmented_radix>});
  list.push_back(peer_for<problem>{
      "cub", version, "DeviceMerge, scratch allocated beforehand", backend::cuda, primitive::merge,
      [](const problem& p) { return takes_keys(p) && is_gpu_key(p.type) && p.n + p.m > 0; }, prepare<call_merge>});
  list.push_back(peer_for<problem>{
      "cub-full-sort", version, "DeviceRadixSort of all keys and their places, the first k kept", backend::cuda,
      primitive::top_k,
      [](const problem& p) { return is_gpu_key(p.type) && p.n > 0 && p.n >> 32 == 0 && p.last_bit == 0; },
      prepare_top_k});
#if __has_include(<cub/device/device_topk.cuh>)
  absent.push_back("CUB DeviceTopK: it leaves its k in no order, and is not compared");
#else
  absent.push_back("CUB DeviceTopK: " + version + " has none");
#endif
}

}  // namespace upsweep::peers
