// Thrust's reduce and scans on the device's stream, with memory from an allocator that keeps what it gets back.
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/version.h>

#include <memory>

#include "peers/kept_memory.hpp"
#include "peers/peers.hpp"
#include "peers/sums.hpp"
#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::peers {

namespace {

template <class P>
bool takes(const P& p) {
  return p.op == op_kind::plus && p.transform == transform_kind::identity;
}

template <class T, class Policy>
void fold(const detail::reduce_impl::problem& p, const Policy& policy, cudaStream_t stream) {
  const T *first = p.in.as<const T>(), *last = first + p.n;
  // The sum comes back to the host, as thrust::reduce has it; what is checked is read from device memory.
  const T total = thrust::reduce(policy, first, last, p.init.as<T>());
  upsweep::cuda::check(cudaMemcpyAsync(p.out.address(), &total, sizeof total, cudaMemcpyHostToDevice, stream),
                       "Thrust");
}

template <class T, class Policy>
void fold(const detail::scan_impl::problem& p, const Policy& policy, cudaStream_t) {
  const T *first = p.in.as<const T>(), *last = first + p.n;
  if (p.inclusive) {
    thrust::inclusive_scan(policy, first, last, p.out.as<T>(), p.init.as<T>(), ::cuda::std::plus<T>{});
  } else {
    thrust::exclusive_scan(policy, first, last, p.out.as<T>(), p.init.as<T>());
  }
}

template <class P>
prepared_for<P> prepare(device& d, const P&) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  return [kept = std::make_shared<kept_memory>(), stream = gpu.stream()](const P& p) {
    const auto policy = thrust::cuda::par_nosync(*kept).on(stream);
    with_sum_type(p.type, [&](auto tag) { fold<typename decltype(tag)::type>(p, policy, stream); });
  };
}

template <class P>
peer_for<P> thrust_of(const char* note) {
  const std::string version = "Thrust " + std::to_string(THRUST_MAJOR_VERSION) + "." +
                              std::to_string(THRUST_MINOR_VERSION) + "." + std::to_string(THRUST_SUBMINOR_VERSION);
  return {"thrust", version, note, backend::cuda, P{}.what, takes, prepare};
}

}  // namespace

void add_thrust(std::vector<peer>& list) {
  list.push_back(
      thrust_of<detail::reduce_impl::problem>("its sum returns to the host and is waited for; caching allocator"));
  list.push_back(thrust_of<detail::scan_impl::problem>("par_nosync, caching allocator"));
}

}  // namespace upsweep::peers
