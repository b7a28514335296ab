// Thrust's sort, sort_by_key, merge and is_sorted_until, with memory from an allocator that keeps what it gets back.
// Its sorts work in place, so the input is copied first; the copy is in the time.
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/merge.h>
#include <thrust/sort.h>
#include <thrust/version.h>

#include <memory>

#include "peers/kept_memory.hpp"
#include "peers/peers.hpp"
#include "peers/sort.hpp"
#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::peers {

namespace {

using problem = detail::sort_impl::problem;
using primitive = detail::sort_impl::primitive;
using prepared = prepared_for<problem>;

template <class K>
void call(const problem& p, kept_memory& allocator, cudaStream_t stream) {
  const auto policy = thrust::cuda::par_nosync(allocator).on(stream);
  const K* in = p.in.as<const K>();
  K* out = p.out.as<K>();
  const auto bring = [&](memory to, memory from, std::uint64_t bytes) {
    upsweep::cuda::check(cudaMemcpyAsync(to.address(), from.address(), bytes, cudaMemcpyDeviceToDevice, stream),
                         "Thrust");
  };
  if (p.what == primitive::merge) {
    thrust::merge(policy, in, in + p.n, p.in2.as<const K>(), p.in2.as<const K>() + p.m, out);
  } else if (p.what == primitive::is_sorted) {
    // The answer comes back to the host, as thrust has it; what is checked is read from device memory.
    const auto count = static_cast<std::uint64_t>(thrust::is_sorted_until(policy, in, in + p.n) - in);
    upsweep::cuda::check(cudaMemcpyAsync(p.count.address(), &count, sizeof count, cudaMemcpyHostToDevice, stream),
                         "Thrust");
  } else if (p.value_bytes == 0) {
    bring(p.out, p.in, p.n * sizeof(K));
    thrust::sort(policy, out, out + p.n);
  } else {
    bring(p.out, p.in, p.n * sizeof(K));
    bring(p.out2, p.in2, p.n * p.value_bytes);
    using V = std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>;
    thrust::stable_sort_by_key(policy, out, out + p.n, p.out2.as<V>());
  }
}

prepared prepare(device& d, const problem&) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  return [kept = std::make_shared<kept_memory>(), stream = gpu.stream()](const problem& p) {
    with_gpu_key(p.type, [&](auto tag) { call<typename decltype(tag)::type>(p, *kept, stream); });
  };
}

}  // namespace

void add_thrust_sorts(std::vector<peer>& list) {
  const std::string version = "Thrust " + std::to_string(THRUST_MAJOR_VERSION) + "." +
                              std::to_string(THRUST_MINOR_VERSION) + "." + std::to_string(THRUST_SUBMINOR_VERSION);
  const char* const sorts = "par_nosync, caching allocator; its input is copied first";
  list.push_back(peer_for<problem>{
      "thrust", version, sorts, backend::cuda, primitive::sort,
      [](const problem& p) { return takes_gpu_keys(p) || (takes_equal_pairs(p) && is_gpu_key(p.type)); }, prepare});
  list.push_back(peer_for<problem>{"thrust", version, "par_nosync, caching allocator", backend::cuda, primitive::merge,
                                   takes_gpu_keys, prepare});
  list.push_back(peer_for<problem>{"thrust", version,
                                   "its answer returns to the host and is waited for; caching allocator", backend::cuda,
                                   primitive::is_sorted, takes_gpu_keys, prepare});
}

}  // namespace upsweep::peers
