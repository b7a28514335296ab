// CUB's device-wide reduce and scan, with their scratch allocated beforehand. Plus for all six types, maximum for u32
// and f32.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "peers/cub.hpp"
#include "peers/sums.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::peers::UPSWEEP_CUB {

namespace {

template <class P, class Count>
bool takes(const P& p) {
  const bool op = p.op == op_kind::plus || (p.op == op_kind::maximum && (p.type == dtype::u32 || p.type == dtype::f32));
  // The sums start from zero, so a problem with an initial value of its own is none of theirs.
  const bool plain = std::memcmp(p.init.bytes, identity_scalar(p.op, p.type).bytes, size_of(p.type)) == 0;
  return op && plain && p.transform == transform_kind::identity && p.n > 0 && fits_count<Count>(p.n);
}

template <class T, class Count>
cudaError_t fold(const cub_launch& l, const detail::reduce_impl::problem& p, Count n) {
  const T* in = p.in.as<const T>();
  T* out = p.out.as<T>();
  if constexpr (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, float>)
    if (p.op == op_kind::maximum) return cub::DeviceReduce::Max(l.scratch, l.bytes, in, out, n, l.stream);
  return cub::DeviceReduce::Sum(l.scratch, l.bytes, in, out, n, l.stream);
}

template <class T, class Count>
cudaError_t fold(const cub_launch& l, const detail::scan_impl::problem& p, Count n) {
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

template <class P, class Count>
cudaError_t call(const cub_launch& l, const P& p) {
  cudaError_t done = cudaSuccess;
  with_sum_type(p.type, [&](auto tag) { done = fold<typename decltype(tag)::type>(l, p, static_cast<Count>(p.n)); });
  return done;
}

template <class P, class Count>
peer_for<P> folds(const char* note) {
  return {
      cub_name(),       cub_version(), note, backend::cuda, P{}.what, takes<P, Count>, prepare_cub<P, call<P, Count>>,
      count_name<Count>};
}

}  // namespace

void add_folds(std::vector<peer>& list) {
  const char* const reduces = "DeviceReduce, scratch allocated beforehand";
  list.push_back(folds<detail::reduce_impl::problem, std::uint32_t>(reduces));
  list.push_back(folds<detail::reduce_impl::problem, std::uint64_t>(reduces));
  const char* const scans = "DeviceScan, scratch allocated beforehand";
  list.push_back(folds<detail::scan_impl::problem, std::uint32_t>(scans));
  list.push_back(folds<detail::scan_impl::problem, std::uint64_t>(scans));
}

void add_cub(std::vector<peer>& list, std::vector<std::string>& absent) {
  add_folds(list);
  add_radix_sorts(list);
  add_merge_sorts(list);
  add_segmented_sorts(list);
  add_selections(list);
  add_histograms(list);
  add_segmented_folds(list);
#if __has_include(<cub/device/device_topk.cuh>)
  absent.push_back("CUB DeviceTopK of " + cub_version() + ": it leaves its k in no order, and is not compared");
#else
  absent.push_back("CUB DeviceTopK: " + cub_version() + " has none");
#endif
}

}  // namespace upsweep::peers::UPSWEEP_CUB
