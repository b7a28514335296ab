// CUB's selections and run lengths, with their scratch allocated beforehand.
#include <thrust/execution_policy.h>
#include <thrust/reverse.h>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include "peers/cub.hpp"
#include "peers/kept_memory.hpp"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::peers::UPSWEEP_CUB {

namespace {

using problem = detail::select_impl::problem;
using primitive = detail::select_impl::primitive;
using prepared = prepared_for<problem>;
using detail::select_impl::selection;

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

// DeviceSelect counts in 64 bits whatever it is given, but for unique by key; DevicePartition in those of the count.
bool has_one_count(const problem& p) { return p.how != selection::partition && p.value_bytes == 0; }

template <class Count>
bool takes_selection(const problem& p) {
  if (!takes_type(p.type) || p.n == 0 || !fits_count<Count>(p.n)) return false;
  if (sizeof(Count) == 4 && has_one_count(p)) return false;
  switch (p.how) {
    case selection::where:
    case selection::partition: return p.test == comparison::less && p.value_bytes == 0;
    case selection::flagged: return p.value_bytes == 0;
    case selection::unique: return p.value_bytes == 0 || p.value_bytes == 4;
    case selection::three_way_partition: break;
  }
  return false;
}

template <class Count>
cudaError_t select(const cub_launch& l, const problem& p) {
  const auto n = static_cast<Count>(p.n);
  return with_selected_type(p.type, [&](auto zero) {
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
}

// CUB before 3.1 counts runs in 32 bits alone.
#if CUB_VERSION >= 300100
constexpr bool has_long_runs = true;
#else
constexpr bool has_long_runs = false;
#endif

template <class Count>
bool takes_runs(const problem& p) {
  return takes_type(p.type) && p.n > 0 && fits_count<Count>(p.n) && (sizeof(Count) == 4 || has_long_runs);
}

template <class Count>
cudaError_t run_lengths(const cub_launch& l, const problem& p) {
  return with_selected_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    return cub::DeviceRunLengthEncode::Encode(l.scratch, l.bytes, p.in.as<const T>(), p.out.as<T>(),
                                              p.out2.as<std::uint64_t>(), p.count.as<std::uint64_t>(),
                                              static_cast<Count>(p.n), l.stream);
  });
}

// CUB leaves what does not pass in reverse. It is turned round once, for the check, which is not timed.
template <class Count>
prepared prepare_selection(device& d, const problem& p) {
  prepared call = prepare_cub<problem, select<Count>>(d, p);
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

template <class Count>
void add(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{
      cub_name(), cub_version(), "DeviceSelect, scratch allocated beforehand", backend::cuda, primitive::select,
      [](const problem& p) { return takes_selection<Count>(p) && p.how != selection::partition; },
      prepare_selection<Count>, count_name<Count>});
  list.push_back(peer_for<problem>{
      cub_name(), cub_version(),
      "DevicePartition, scratch allocated beforehand; it leaves what does not pass in reverse", backend::cuda,
      primitive::select, [](const problem& p) { return takes_selection<Count>(p) && p.how == selection::partition; },
      prepare_selection<Count>, count_name<Count>});
  list.push_back(peer_for<problem>{cub_name(), cub_version(), "DeviceRunLengthEncode, scratch allocated beforehand",
                                   backend::cuda, primitive::run_lengths, takes_runs<Count>,
                                   prepare_cub<problem, run_lengths<Count>>, count_name<Count>});
}

}  // namespace

void add_selections(std::vector<peer>& list) {
  add<std::int32_t>(list);
  add<std::int64_t>(list);
}

}  // namespace upsweep::peers::UPSWEEP_CUB
