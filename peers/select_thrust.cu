// Thrust's selections and its reduce_by_key, with memory from an allocator that keeps what it gets back. Counts come
// back to the host, as Thrust has it, and are written to device memory from there.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/unique.h>
#include <thrust/version.h>

#include <memory>

#include "peers/kept_memory.hpp"
#include "peers/peers.hpp"
#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/segmented/segmented_problem.hpp"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::peers {

namespace {

using detail::select_impl::selection;

bool takes_type(dtype t) { return t == dtype::u32 || t == dtype::u64 || t == dtype::f32; }

template <class F>
void with_some_type(dtype type, F f) {
  switch (type) {
    case dtype::u32: return f(std::uint32_t{});
    case dtype::u64: return f(std::uint64_t{});
    default: return f(0.0f);
  }
}

template <class T>
struct below {
  T threshold;
  __device__ bool operator()(T x) const { return x < threshold; }
};

bool takes(const detail::select_impl::problem& p) {
  if (!takes_type(p.type) || p.value_bytes || p.n == 0) return false;
  return p.how == selection::unique ||
         ((p.how == selection::where || p.how == selection::partition) && p.test == comparison::less);
}

void write_count(memory to, std::uint64_t count, cudaStream_t stream) {
  upsweep::cuda::check(cudaMemcpyAsync(to.address(), &count, sizeof count, cudaMemcpyHostToDevice, stream), "Thrust");
}

template <class Policy>
void call(const detail::select_impl::problem& p, const Policy& policy, cudaStream_t stream) {
  with_some_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const T *first = p.in.as<const T>(), *last = first + p.n;
    T *out = p.out.as<T>(), *end = nullptr;
    const below<T> test{p.threshold.as<T>()};
    if (p.how == selection::where) {
      end = thrust::copy_if(policy, first, last, out, test);
    } else if (p.how == selection::unique) {
      end = thrust::unique_copy(policy, first, last, out);
    } else {
      upsweep::cuda::check(cudaMemcpyAsync(out, first, p.n * sizeof(T), cudaMemcpyDeviceToDevice, stream), "Thrust");
      end = thrust::stable_partition(policy, out, out + p.n, test);
    }
    write_count(p.count, static_cast<std::uint64_t>(end - out), stream);
  });
}

bool takes(const detail::segmented_impl::problem& p) {
  return takes_type(p.type) && p.key_type == dtype::u32 && p.op == op_kind::plus &&
         p.transform == transform_kind::identity && p.n > 0;
}

template <class Policy>
void call(const detail::segmented_impl::problem& p, const Policy& policy, cudaStream_t stream) {
  with_some_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const auto* keys = p.in2.as<const std::uint32_t>();
    const auto ends =
        thrust::reduce_by_key(policy, keys, keys + p.n, p.in.as<const T>(), p.out2.as<std::uint32_t>(), p.out.as<T>());
    write_count(p.count, static_cast<std::uint64_t>(ends.second - p.out.as<T>()), stream);
  });
}

template <class P>
prepared_for<P> prepare(device& d, const P&) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  return [kept = std::make_shared<kept_memory>(), stream = gpu.stream()](const P& p) {
    call(p, thrust::cuda::par_nosync(*kept).on(stream), stream);
  };
}

template <class P>
peer_for<P> thrust_of(decltype(P::what) what, const char* note) {
  const std::string version = "Thrust " + std::to_string(THRUST_MAJOR_VERSION) + "." +
                              std::to_string(THRUST_MINOR_VERSION) + "." + std::to_string(THRUST_SUBMINOR_VERSION);
  return {"thrust", version, note, backend::cuda, what, takes, prepare};
}

}  // namespace

void add_thrust_selections(std::vector<peer>& list) {
  list.push_back(thrust_of<detail::select_impl::problem>(
      detail::select_impl::primitive::select,
      "its count returns to the host and is waited for; partition: a copy, and stable_partition of it"));
  list.push_back(thrust_of<detail::segmented_impl::problem>(detail::segmented_impl::primitive::reduce_by_key,
                                                            "its count returns to the host and is waited for"));
}

}  // namespace upsweep::peers
