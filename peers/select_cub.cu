// CUB's selections and run lengths, with their scratch allocated beforehand.
#include <thrust/execution_policy.h>
#include <thrust/reverse.h>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>

#include <limits>

#include "peers/kept_memory.hpp"
#include "peers/peers.hpp"
#include "upsweep/cuda/device.hpp"
#include "upsweep/select/problem.hpp"

namespace upsweep::peers {

namespace {

using problem = select_room::problem;
using primitive = select_room::primitive;
using prepared = prepared_for<problem>;
using select_room::selection;

constexpr std::uint64_t most_ints = std::numeric_limits<std::int32_t>::max();

template <class F>
cudaError_t with_selected_type(dtype type, F f) {
  switch (type) {
    case dtype::u8: return f(std::uint8_t{});
    case dtype::u32: return f(std::uint32_t{});
    case dtype::u64: return f(std::uint64_t{});
    case dtype::f32: return f(0.0f);
    default: return f(0.0);
  }
}
bool takes_type(dtype t) {
  return t == dtype::u8 || t == dtype::u32 || t == dtype::u64 || t == dtype::f32 || t == dtype::f64;
}

template <class T>
struct less_than_threshold {
  T threshold;
  __device__ bool operator()(T x) const { return x < threshold; }
};

struct launch {
  void* scratch;
  std::size_t& bytes;
  cudaStream_t stream;
};

bool takes_selection(const problem& p) {
  if (!takes_type(p.type) || p.n == 0) return false;
  switch (p.how) {
    case selection::where:
    case selection::partition: return p.test == comparison::less && p.value_bytes == 0;
    case selection::flagged: return p.value_bytes == 0;
    case selection::unique: return p.value_bytes == 0 || p.value_bytes == 4;
    case selection::partition3: break;
  }
  return false;
}

void select(const launch& l, const problem& p) {
  const auto n = static_cast<std::int64_t>(p.n);
  const cudaError_t done = with_selected_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const T* in = p.in.as<const T>();
    T* out = p.out.as<T>();
    auto* count = p.count.as<std::uint64_t>();
    const less_than_threshold<T> test{p.threshold.as<T>()};
    switch (p.how) {
      case selection::where: return cub::DeviceSelect::If(l.scratch, l.bytes, in, out, count, n, test, l.stream);
      case selection::flagged:
        return cub::DeviceSelect::Flagged(l.scratch, l.bytes, in, p.in3.as<const std::uint8_t>(), out, count, n,
                                          l.stream);
      case selection::partition: return cub::DevicePartition::If(l.scratch, l.bytes, in, out, count, n, test, l.stream);
      default: break;
    }
    if (p.value_bytes == 0) return cub::DeviceSelect::Unique(l.scratch, l.bytes, in, out, count, n, l.stream);
    return cub::DeviceSelect::UniqueByKey(l.scratch, l.bytes, in, p.in2.as<const std::uint32_t>(), out,
                                          p.out2.as<std::uint32_t>(), count, n, l.stream);
  });
  upsweep::cuda::check(done, "CUB");
}

bool takes_runs(const problem& p) { return takes_type(p.type) && p.n > 0 && p.n <= most_ints; }

void run_lengths(const launch& l, const problem& p) {
  const cudaError_t done = with_selected_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    return cub::DeviceRunLengthEncode::Encode(l.scratch, l.bytes, p.in.as<const T>(), p.out.as<T>(),
                                              p.out2.as<std::uint64_t>(), p.count.as<std::uint64_t>(),
                                              static_cast<int>(p.n), l.stream);
  });
  upsweep::cuda::check(done, "CUB");
}

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

// CUB leaves what does not pass in reverse. It is turned round once, for the check, which is not timed.
prepared prepare_selection(device& d, const problem& p) {
  prepared call = prepare<select>(d, p);
  if (p.how != selection::partition) return call;
  return [call, &d, first = true](const problem& p) mutable {
    call(p);
    if (!std::exchange(first, false)) return;
    std::uint64_t count = 0;
    d.download(&count, p.count, sizeof count);
    with_selected_type(p.type, [&](auto zero) {
      using T = decltype(zero);
      kept_memory memory;
      thrust::reverse(thrust::cuda::par(memory).on(upsweep::cuda::of(d).stream()), p.out.as<T>() + count,
                      p.out.as<T>() + p.n);
      return cudaSuccess;
    });
    d.synchronize();
  };
}

}  // namespace

void add_cub_selections(std::vector<peer>& list) {
  const std::string version = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) +
                              "." + std::to_string(CUB_SUBMINOR_VERSION);
  list.push_back(peer_for<problem>{
      "cub", version, "DeviceSelect, scratch allocated beforehand", backend::cuda, primitive::select,
      [](const problem& p) { return takes_selection(p) && p.how != selection::partition; }, prepare_selection});
  list.push_back(peer_for<problem>{
      "cub", version, "DevicePartition, scratch allocated beforehand; it leaves what does not pass in reverse",
      backend::cuda, primitive::select,
      [](const problem& p) { return takes_selection(p) && p.how == selection::partition; }, prepare_selection});
  list.push_back(peer_for<problem>{"cub", version, "DeviceRunLengthEncode, scratch allocated beforehand", backend::cuda,
                                   primitive::run_lengths, takes_runs, prepare<run_lengths>});
}

}  // namespace upsweep::peers
