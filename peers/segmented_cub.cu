// CUB's folds by key and by segment, with their scratch allocated beforehand. Plus, with keys of u32.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>

#include <limits>

#include "peers/peers.hpp"
#include "upsweep/cuda/device.hpp"
#include "upsweep/segmented/problem.hpp"

namespace upsweep::peers {

namespace {

using problem = segmented_room::problem;
using primitive = segmented_room::primitive;
using prepared = prepared_for<problem>;

bool takes(const problem& p) {
  const bool plain = std::memcmp(p.init.bytes, identity_scalar(p.op, p.type).bytes, size_of(p.type)) == 0;
  const bool keys = p.what == primitive::segmented_reduce || p.key_type == dtype::u32;
  const bool type = p.type == dtype::u32 || p.type == dtype::u64 || p.type == dtype::f32 || p.type == dtype::f64;
  return p.op == op_kind::plus && plain && keys && type && p.transform == transform_kind::identity && p.n > 0;
}

struct launch {
  void* scratch;
  std::size_t& bytes;
  cudaStream_t stream;
};

template <class T, class Count>
cudaError_t fold(const launch& l, const problem& p, Count n) {
  const T* in = p.in.as<const T>();
  const auto* keys = p.in2.as<const std::uint32_t>();
  T* out = p.out.as<T>();
  if (p.what == primitive::reduce_by_key)
    return cub::DeviceReduce::ReduceByKey(l.scratch, l.bytes, keys, p.out2.as<std::uint32_t>(), in, out,
                                          p.count.as<std::uint64_t>(), ::cuda::std::plus<>{}, n, l.stream);
  if (p.inclusive)
    return cub::DeviceScan::InclusiveSumByKey(l.scratch, l.bytes, keys, in, out, n, ::cuda::std::equal_to<>{},
                                              l.stream);
  return cub::DeviceScan::ExclusiveSumByKey(l.scratch, l.bytes, keys, in, out, n, ::cuda::std::equal_to<>{}, l.stream);
}

template <class T>
cudaError_t segmented(const launch& l, const problem& p) {
  const auto* offsets = p.in2.as<const std::uint64_t>();
  return cub::DeviceSegmentedReduce::Sum(l.scratch, l.bytes, p.in.as<const T>(), p.out.as<T>(),
                                         static_cast<std::int64_t>(p.m), offsets, offsets + 1, l.stream);
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

void call(const launch& l, const problem& p) {
  const cudaError_t done = with_folded_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    if (p.what == primitive::segmented_reduce) return segmented<T>(l, p);
    // 32-bit counts where they do, as a careful caller would choose.
    return p.n >> 32 ? fold<T>(l, p, p.n) : fold<T>(l, p, static_cast<std::uint32_t>(p.n));
  });
  upsweep::cuda::check(done, "CUB");
}

prepared prepare(device& d, const problem& p) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  std::size_t bytes = 0;
  call({nullptr, bytes, gpu.stream()}, p);
  // No smaller than one byte: a null pointer would ask for the size again.
  void* scratch = d.scratch("peers/cub", bytes + 1).address();
  return [scratch, bytes, stream = gpu.stream()](const problem& p) mutable { call({scratch, bytes, stream}, p); };
}

}  // namespace

void add_cub_segmented(std::vector<peer>& list) {
  const std::string version = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) +
                              "." + std::to_string(CUB_SUBMINOR_VERSION);
  list.push_back(peer_for<problem>{"cub", version, "DeviceReduce::ReduceByKey, scratch allocated beforehand",
                                   backend::cuda, primitive::reduce_by_key, takes, prepare});
  list.push_back(peer_for<problem>{"cub", version, "DeviceScan by key, scratch allocated beforehand", backend::cuda,
                                   primitive::scan_by_key, takes, prepare});
  list.push_back(peer_for<problem>{
      "cub", version, "DeviceSegmentedReduce, scratch allocated beforehand", backend::cuda, primitive::segmented_reduce,
      [](const problem& p) { return takes(p) && p.m <= std::numeric_limits<std::int32_t>::max(); }, prepare});
}

}  // namespace upsweep::peers
