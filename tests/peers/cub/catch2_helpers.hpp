// What CUB's tests stand on: memory that the host reads in the place of checked allocations (its own, or on a GPU
// managed memory), the generators of c2h (whose own are kernels and cuRAND's numbers), and the launch of a call, from
// the host alone. Where no GPU is, a CUDA runtime that has nothing to wait for.
#pragma once

#include <optional>
#include <string>

// In the place of c2h/checked_allocator.cuh, which asks a GPU for what is free there.
namespace c2h::detail {
inline std::optional<std::string> get_env(const char* name) {
  const char* const value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}
}  // namespace c2h::detail

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#include <thrust/device_allocator.h>
#include <thrust/mr/allocator.h>
#include <thrust/system/cuda/memory_resource.h>
#include <thrust/system/cuda/pointer.h>

#include <memory>
#include <new>
#include <stdexcept>

namespace on_upsweep {
// Written to at once: what a call leaves unwritten is no number of an earlier test's.
inline cudaError_t managed_memory(void** at, std::size_t bytes) {
  const cudaError_t error = cudaMallocManaged(at, bytes);
  if (error != cudaSuccess) return error;
  cudaMemset(*at, 0xA5, bytes);
  return cudaDeviceSynchronize();  // the host may write first
}
// What was told to a GPU is done before the host reads on, or writes.
inline void settled() {
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(error));
}
using managed_resource =
    thrust::system::cuda::detail::cuda_memory_resource<managed_memory, cudaFree, thrust::cuda::pointer<void>>;

template <class T>
struct managed {
  using value_type = T;
  managed() = default;
  template <class U>
  managed(const managed<U>&) {}
  T* allocate(std::size_t n) {
    void* at = nullptr;
    if (managed_memory(&at, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t) { cudaFree(at); }
  template <class U>
  bool operator==(const managed<U>&) const {
    return true;
  }
};
}  // namespace on_upsweep

namespace c2h {
template <class T>
using checked_host_allocator = std::allocator<T>;
template <class T>
using checked_cuda_allocator =
    thrust::mr::stateless_resource_allocator<T, thrust::device_ptr_memory_resource<on_upsweep::managed_resource>>;
}  // namespace c2h
#else
// A kernel's, named by headers of iterators.
unsigned __shfl_sync(unsigned, unsigned, int, int);
namespace on_upsweep {
inline void settled() {}
}  // namespace on_upsweep
#endif

#include <c2h/catch2_test_helper.h>
#include <c2h/custom_type.h>
#include <c2h/extended_types.h>
#include <c2h/generators.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <cstdint>
#include <cub/detail/type_traits.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/util_debug.cuh>
#include <cub/util_type.cuh>
#include <cuda/std/complex>
#include <random>
#include <vector>

// --- c2h's generators: what they declare, defined for every type ---

namespace c2h::detail {

inline void init_generator() {}
inline void cleanup_generator() {}

template <class T>
inline constexpr bool is_vector = false;
template <class T>
  requires requires(T v) { v.x; } && (!::cuda::is_floating_point_v<T>)
inline constexpr bool is_vector<T> = true;

// A value between two others, for a number u in [0, 1): as c2h's, by a float or, of wider floats, a double.
template <class T>
T between(float u, const T& min, const T& max) {
  if constexpr (is_vector<T>) {
    T v{};
    v.x = detail::between<decltype(v.x)>(u, min.x, max.x);
    if constexpr (requires { v.y; }) v.y = detail::between<decltype(v.y)>(u, min.y, max.y);
    if constexpr (requires { v.z; }) v.z = detail::between<decltype(v.z)>(u, min.z, max.z);
    if constexpr (requires { v.w; }) v.w = detail::between<decltype(v.w)>(u, min.w, max.w);
    return v;
  } else if constexpr (::cuda::std::__is_cuda_std_complex_v<T>) {
    return (max - min) * T(static_cast<typename T::value_type>(u)) + min;
  } else if constexpr (::cuda::is_floating_point_v<T>) {
    using wide = std::conditional_t<(sizeof(T) > 4), double, float>;
    return static_cast<T>(static_cast<wide>(max) * u + static_cast<wide>(min) * (1.0f - u));
  } else {
    // A float rounds 2^31 - 1 and kin up, past what the type holds.
    const double low = static_cast<float>(min), high = static_cast<float>(max), x = (high - low) * u + low;
    if constexpr (std::is_integral_v<T>) {
      if (x >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
      if (x <= static_cast<double>(std::numeric_limits<T>::lowest())) return std::numeric_limits<T>::lowest();
    }
    return static_cast<T>(static_cast<float>(x));
  }
}

inline std::vector<float> numbers(seed_t seed, std::size_t n) {
  on_upsweep::settled();
  std::mt19937 engine(static_cast<std::uint32_t>(seed.get() ^ (seed.get() >> 32)));
  std::vector<float> u(n);
  for (float& x : u) x = static_cast<float>(engine() >> 8) * 0x1p-24f;
  return u;
}

template <class T>
void gen_values_between(seed_t seed, ::cuda::std::span<T> data, T min, T max) {
  const std::vector<float> u = detail::numbers(seed, data.size());
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = detail::between<T>(u[i], min, max);
}

template <class T>
void gen_values_cyclic(modulo_t mod, ::cuda::std::span<T> data) {
  on_upsweep::settled();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto v = static_cast<float>(i % mod.get());
    if constexpr (is_vector<T>) {
      data[i] = detail::between<T>(1.0f, T{}, T{});
      data[i].x = static_cast<decltype(data[i].x)>(v);
      if constexpr (requires { data[i].y; }) data[i].y = data[i].x;
      if constexpr (requires { data[i].z; }) data[i].z = data[i].x;
      if constexpr (requires { data[i].w; }) data[i].w = data[i].x;
    } else {
      data[i] = static_cast<T>(v);
    }
  }
}

inline void gen_custom_type_state(seed_t seed, char* data, custom_type_state_t, custom_type_state_t,
                                  std::size_t elements, std::size_t element_size) {
  const std::vector<float> u = detail::numbers(seed, 2 * elements);
  constexpr double most = 0x1p64;
  for (std::size_t i = 0; i < elements; ++i) {
    auto* const at = reinterpret_cast<custom_type_state_t*>(data + i * element_size);
    at->key = static_cast<std::size_t>(most * u[2 * i]);
    at->val = static_cast<std::size_t>(most * u[2 * i + 1]);
  }
}

template <class T>
std::size_t gen_uniform_offsets(seed_t seed, ::cuda::std::span<T> offsets, T total, T min_size, T max_size) {
  detail::gen_values_between<T>(seed, offsets, min_size, max_size);
  T begin = 0;
  std::size_t i = 0;
  for (; i < offsets.size() && begin < total; ++i) {
    const T size = i == static_cast<std::size_t>(total) ? total + 1 : offsets[i];
    offsets[i] = begin;
    begin += size;
  }
  offsets[i] = total;
  return i + 1;
}

// Segment s is filled with its number.
template <class Offset, class Key>
void init_key_segments(::cuda::std::span<const Offset> offsets, Key* out, std::size_t element_size) {
  on_upsweep::settled();
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    for (Offset i = offsets[s]; i < offsets[s + 1]; ++i) {
      auto* const at = reinterpret_cast<Key*>(reinterpret_cast<char*>(out) + element_size * i);
      if constexpr (std::is_same_v<Key, custom_type_state_t>)
        at->key = at->val = s;
      else
        *at = static_cast<Key>(s);
    }
}

}  // namespace c2h::detail

#if !defined(__CUDACC__)
// --- the CUDA runtime, as far as tests ask it whether all went well ---

namespace on_upsweep {

inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamCreate(cudaStream_t*) { return cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

template <class T>
cudaError_t cudaMallocHost(T** at, std::size_t bytes) {
  *at = static_cast<T*>(std::malloc(bytes));
  return *at ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFreeHost(void* at) {
  std::free(at);
  return cudaSuccess;
}

struct no_device {};
struct {
  no_device operator[](int) const { return {}; }
} inline constexpr devices;
struct stream_ref {
  stream_ref() = default;
  template <class T>
  stream_ref(const T&) {}
  cudaStream_t get() const { return nullptr; }
  void sync() const {}
};
struct stream : stream_ref {
  using stream_ref::stream_ref;
};
struct {
  template <class... Properties>
  auto with(const Properties&...) const {
    return *this;
  }
} inline constexpr gpu;

}  // namespace on_upsweep

// --- what tests write for a GPU inside their functions and kernels; no kernel is launched here ---

template <class T>
T atomicAdd(T* at, std::type_identity_t<T> x) {
  return __atomic_fetch_add(at, x, __ATOMIC_RELAXED);
}
template <class T>
T atomicOr(T* at, std::type_identity_t<T> x) {
  return __atomic_fetch_or(at, x, __ATOMIC_RELAXED);
}
inline constexpr uint3 threadIdx{}, blockIdx{}, blockDim{1, 1, 1}, gridDim{1, 1, 1};
#endif

// --- launches: CUB's two calls, the first of which says how many bytes the second wants ---

template <class Call, class... Arguments>
void launch(Call call, Arguments... arguments) {
  std::size_t bytes = 0;
  REQUIRE(call(static_cast<std::uint8_t*>(nullptr), bytes, arguments...) == cudaSuccess);
  REQUIRE(bytes > 0);
  c2h::device_vector<std::uint8_t> scratch(bytes);  // touched by no call of ours, but by CUB's, which some tests make
  REQUIRE(call(thrust::raw_pointer_cast(scratch.data()), bytes, arguments...) == cudaSuccess);
}

#define ESCAPE_LIST(...) __VA_ARGS__
#define DECLARE_LAUNCH_WRAPPER(API, NAME)                                             \
  struct NAME##_invocable_t {                                                         \
    template <class... A>                                                             \
    cudaError_t operator()(std::uint8_t* scratch, std::size_t& bytes, A... a) const { \
      return API(scratch, bytes, a...);                                               \
    }                                                                                 \
  };                                                                                  \
  [[maybe_unused]] inline constexpr struct NAME##_t {                                 \
    template <class... A>                                                             \
    void operator()(A... a) const {                                                   \
      launch(NAME##_invocable_t{}, a...);                                             \
    }                                                                                 \
  } NAME
#define DECLARE_TMPL_LAUNCH_WRAPPER(API, NAME, PARAMETERS, NAMED)                     \
  template <PARAMETERS>                                                               \
  struct NAME##_invocable_t {                                                         \
    template <class... A>                                                             \
    cudaError_t operator()(std::uint8_t* scratch, std::size_t& bytes, A... a) const { \
      return API<NAMED>(scratch, bytes, a...);                                        \
    }                                                                                 \
  };                                                                                  \
  template <PARAMETERS, class... A>                                                   \
  static void NAME(A... a) {                                                          \
    launch(NAME##_invocable_t<NAMED>{}, a...);                                        \
  }
