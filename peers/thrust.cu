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
#include "upsweep/cuda/device.hpp"

namespace upsweep::peers {

namespace {

bool takes(const problem& p) { return p.op == op_kind::plus && p.transform == transform_kind::identity; }

void call(const problem& p, kept_memory& allocator, cudaStream_t stream) {
  const auto policy = thrust::cuda::par_nosync(allocator).on(stream);
  with_sum_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *first = p.in.as<T>(), *last = first + p.n;
    const T init = p.init.as<T>();
    if (p.what == primitive::reduce) {
      // The sum comes back to the host, as thrust::reduce has it; what is checked is read from device memory.
      const T total = thrust::reduce(policy, first, last, init);
      upsweep::cuda::check(cudaMemcpyAsync(p.out.address(), &total, sizeof total, cudaMemcpyHostToDevice, stream),
                           "Thrust");
    } else if (p.inclusive) {
      thrust::inclusive_scan(policy, first, last, p.out.as<T>(), init, ::cuda::std::plus<T>{});
    } else {
      thrust::exclusive_scan(policy, first, last, p.out.as<T>(), init);
    }
  });
}

prepared prepare(device& d, const problem&) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  return [kept = std::make_shared<kept_memory>(), stream = gpu.stream()](const problem& p) { call(p, *kept, stream); };
}

}  // namespace

void add_thrust(std::vector<peer>& list) {
  const std::string version = "Thrust " + std::to_string(THRUST_MAJOR_VERSION) + "." +
                              std::to_string(THRUST_MINOR_VERSION) + "." + std::to_string(THRUST_SUBMINOR_VERSION);
  list.push_back({"thrust", version, "its sum returns to the host and is waited for; caching allocator", backend::cuda,
                  primitive::reduce, takes, prepare});
  list.push_back({"thrust", version, "par_nosync, caching allocator", backend::cuda, primitive::scan, takes, prepare});
}

}  // namespace upsweep::peers
