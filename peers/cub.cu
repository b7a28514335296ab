// CUB's device-wide reduce and scan, with their scratch allocated beforehand. Plus for all six types, maximum for u32
// and f32.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include "peers/peers.hpp"
#include "peers/sums.hpp"
#include "upsweep/cuda/device.hpp"
#include "upsweep/reduce/problem.hpp"
#include "upsweep/scan/problem.hpp"

namespace upsweep::peers {

namespace {

template <class P>
bool takes(const P& p) {
  const bool op = p.op == op_kind::plus || (p.op == op_kind::maximum && (p.type == dtype::u32 || p.type == dtype::f32));
  // The sums start from zero, so a problem with an initial value of its own is none of theirs.
  const bool plain = std::memcmp(p.init.bytes, identity_scalar(p.op, p.type).bytes, size_of(p.type)) == 0;
  return op && plain && p.transform == transform_kind::identity && p.n > 0;
}

struct launch {
  void* scratch;
  std::size_t& bytes;
  cudaStream_t stream;
};

template <class T, class Count>
cudaError_t fold(const launch& l, const reduce_room::problem& p, Count n) {
  const T* in = p.in.as<const T>();
  T* out = p.out.as<T>();
  if constexpr (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, float>)
    if (p.op == op_kind::maximum) return cub::DeviceReduce::Max(l.scratch, l.bytes, in, out, n, l.stream);
  return cub::DeviceReduce::Sum(l.scratch, l.bytes, in, out, n, l.stream);
}

template <class T, class Count>
cudaError_t fold(const launch& l, const scan_room::problem& p, Count n) {
  const T* in = p.in.as<const T>();
  T* out = p.out.as<T>();
  if constexpr (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, float>)
    if (p.op == op_kind::maximum) {
      if (p.inclusive)
        return cub::DeviceScan::InclusiveScan(l.scratch, l.bytes, in, out, ::cuda::maximum<>{}, n, l.stream);
      return cub::DeviceScan::ExclusiveScan(l.scratch, l.bytes, in, out, ::cuda::maximum<>{}, p.init.as<T>(), n,
                                            l.stream);
    }
  if (p.inclusive) return cub::DeviceScan::InclusiveSum(l.scratch, l.bytes, in, out, n, l.stream);
  return cub::DeviceScan::ExclusiveSum(l.scratch, l.bytes, in, out, n, l.stream);
}

template <class P>
void call(const launch& l, const P& p) {
  with_sum_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    // 32-bit counts where they do, as a careful caller would choose: CUB is faster with them.
    upsweep::cuda::check(p.n >> 32 ? fold<T>(l, p, p.n) : fold<T>(l, p, static_cast<std::uint32_t>(p.n)), "CUB");
  });
}

template <class P>
prepared_for<P> prepare(device& d, const P& p) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  std::size_t bytes = 0;
  call({nullptr, bytes, gpu.stream()}, p);
  // No smaller than one byte: a null pointer would ask for the size again.
  void* scratch = d.scratch("peers/cub", bytes + 1).address();
  return [scratch, bytes, stream = gpu.stream()](const P& p) mutable { call({scratch, bytes, stream}, p); };
}

template <class P>
peer_for<P> cub_of(const char* note) {
  const std::string version = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) +
                              "." + std::to_string(CUB_SUBMINOR_VERSION);
  return {"cub", version, note, backend::cuda, P{}.what, takes, prepare};
}

}  // namespace

void add_cub(std::vector<peer>& list) {
  list.push_back(cub_of<reduce_room::problem>("DeviceReduce, scratch allocated beforehand"));
  list.push_back(cub_of<scan_room::problem>("DeviceScan, scratch allocated beforehand"));
}

}  // namespace upsweep::peers
