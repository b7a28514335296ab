// CUB's folds by key and by segment, with their scratch allocated beforehand. Plus, with keys of u32.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#define UPSWEEP_CUB_SCANS_SEGMENTS 1
#endif

#include "peers/cub.hpp"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::peers::UPSWEEP_CUB {

namespace {

using problem = detail::segmented_impl::problem;
using primitive = detail::segmented_impl::primitive;

bool takes(const problem& p) {
  const bool plain = std::memcmp(p.init.bytes, identity_scalar(p.op, p.type).bytes, size_of(p.type)) == 0;
  const bool by_key = p.what == primitive::reduce_by_key || p.what == primitive::scan_by_key;
  const bool keys = !by_key || p.key_type == dtype::u32;
  const bool type = p.type == dtype::u32 || p.type == dtype::u64 || p.type == dtype::f32 || p.type == dtype::f64;
  return p.op == op_kind::plus && plain && keys && type && p.transform == transform_kind::identity && p.n > 0;
}

template <class F>
cudaError_t with_folded_type(dtype type, F f) {
  switch (type) {
    case dtype::u32: return f(std::uint32_t{});
    case dtype::u64: return f(std::uint64_t{});
    case dtype::f32: return f(0.0f);
    default: return f(0.0);
  }
}

template <class Count>
cudaError_t by_key(const cub_launch& l, const problem& p) {
  return with_folded_type(p.type, [&]<class T>(T) {
    const auto n = static_cast<Count>(p.n);
    const T* in = p.in.as<const T>();
    const auto* keys = p.in2.as<const std::uint32_t>();
    T* out = p.out.as<T>();
    if (p.what == primitive::reduce_by_key)
      return cub::DeviceReduce::ReduceByKey(l.scratch, l.bytes, keys, p.out2.as<std::uint32_t>(), in, out,
                                            p.count.as<std::uint64_t>(), ::cuda::std::plus<>{}, n, l.stream);
    if (p.inclusive)
      return cub::DeviceScan::InclusiveSumByKey(l.scratch, l.bytes, keys, in, out, n, ::cuda::std::equal_to<>{},
                                                l.stream);
    return cub::DeviceScan::ExclusiveSumByKey(l.scratch, l.bytes, keys, in, out, n, ::cuda::std::equal_to<>{},
                                              l.stream);
  });
}

template <class Count>
bool takes_by_key(const problem& p) {
  return takes(p) && fits_count<Count>(p.n);
}

cudaError_t segmented_reduce(const cub_launch& l, const problem& p) {
  return with_folded_type(p.type, [&]<class T>(T) {
    const auto* offsets = p.in2.as<const std::uint64_t>();
    return cub::DeviceSegmentedReduce::Sum(l.scratch, l.bytes, p.in.as<const T>(), p.out.as<T>(),
                                           static_cast<std::int64_t>(p.m), offsets, offsets + 1, l.stream);
  });
}

#if UPSWEEP_CUB_SCANS_SEGMENTS
cudaError_t segmented_scan(const cub_launch& l, const problem& p) {
  return with_folded_type(p.type, [&]<class T>(T) {
    const auto* offsets = p.in2.as<const std::uint64_t>();
    const auto m = static_cast<std::int64_t>(p.m);
    if (p.inclusive)
      return cub::DeviceSegmentedScan::InclusiveSegmentedSum(l.scratch, l.bytes, p.in.as<const T>(), p.out.as<T>(),
                                                             offsets, offsets + 1, m, l.stream);
    return cub::DeviceSegmentedScan::ExclusiveSegmentedSum(l.scratch, l.bytes, p.in.as<const T>(), p.out.as<T>(),
                                                           offsets, offsets + 1, m, l.stream);
  });
}
#endif

bool takes_segments(const problem& p) { return takes(p) && fits_count<std::int32_t>(p.m); }

template <class Count>
void add_by_key(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{cub_name(), cub_version(), "DeviceReduce::ReduceByKey, scratch allocated beforehand",
                                   backend::cuda, primitive::reduce_by_key, takes_by_key<Count>,
                                   prepare_cub<problem, by_key<Count>>, count_name<Count>});
  list.push_back(peer_for<problem>{cub_name(), cub_version(), "DeviceScan by key, scratch allocated beforehand",
                                   backend::cuda, primitive::scan_by_key, takes_by_key<Count>,
                                   prepare_cub<problem, by_key<Count>>, count_name<Count>});
}

}  // namespace

void add_segmented_folds(std::vector<peer>& list) {
  add_by_key<std::uint32_t>(list);
  add_by_key<std::uint64_t>(list);
  list.push_back(peer_for<problem>{cub_name(), cub_version(), "DeviceSegmentedReduce, scratch allocated beforehand",
                                   backend::cuda, primitive::segmented_reduce, takes_segments,
                                   prepare_cub<problem, segmented_reduce>});
#if UPSWEEP_CUB_SCANS_SEGMENTS
  list.push_back(peer_for<problem>{cub_name(), cub_version(), "DeviceSegmentedScan, scratch allocated beforehand",
                                   backend::cuda, primitive::segmented_scan, takes_segments,
                                   prepare_cub<problem, segmented_scan>});
#endif
}

}  // namespace upsweep::peers::UPSWEEP_CUB
