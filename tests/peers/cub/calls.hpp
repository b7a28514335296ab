// How a call of CUB's becomes one of this library's: in two phases, the first of which asks for bytes of scratch (none
// are wanted here), what throws told as an error, and what stands behind the operands (streams, environments) unread.
#pragma once

#include <cstdio>
#include <cuda/std/tuple>
#include <span>

#include "upsweep/segmented.hpp"
#include "upsweep/thrust.hpp"

namespace on_upsweep {

inline int calls = 0;

// The GPU where nvcc compiles, the CPU elsewhere; and memory that both it and the host read where a result is put
// together.
#if defined(__CUDACC__)
inline const upsweep::context& here() {
  static const upsweep::context where = upsweep::context::cuda();
  return where;
}
template <class T>
using vector = thrust::host_vector<T, managed<T>>;
template <class T>
using span = upsweep::device_span<T>;
#else
inline const upsweep::context& here() {
  static const upsweep::context where = upsweep::context::cpu();
  return where;
}
template <class T>
using vector = thrust::host_vector<T>;
template <class T>
using span = std::span<T>;
#endif
template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<::cuda::std::tuple<T...>> = true;

template <class It>
auto pointer(const It& x) {
  if constexpr (thrust::is_contiguous_iterator_v<It>)
    return thrust::unwrap_contiguous_iterator(x);
  else
    return x;
}
// An operand as the calls take it. On a GPU iterators of a device_vector are pointers, which the host reads, too: the
// memory is managed. A stream that has but one owner is read by no call of ours.
template <class X>
decltype(auto) plain(X& x) {
  if constexpr (!std::copy_constructible<X>)
    return nullptr;
  else if constexpr (is_tuple<std::remove_const_t<X>>)
    return ::cuda::std::apply([](auto&... each) { return ::cuda::std::make_tuple(on_upsweep::pointer(each)...); }, x);
#if defined(__CUDACC__)
  else if constexpr (thrust::is_contiguous_iterator_v<X>)
    return on_upsweep::pointer(x);
#endif
  else
    return (x);
}
inline auto by_thrust() { return upsweep::on(on_upsweep::here()); }

template <class Call>
cudaError_t told(Call call) {
  ++calls;
  try {
    if (const cudaError_t before = cudaDeviceSynchronize(); before != cudaSuccess) return before;
    call();
    return cudaDeviceSynchronize();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    CATCH_UNSCOPED_INFO(e.what());
    return cudaErrorUnknown;
  }
}

template <class First, class Second>
inline constexpr bool asks_for_scratch =
    std::is_same_v<Second, std::size_t&> &&
    (std::is_null_pointer_v<std::remove_cvref_t<First>> || std::is_same_v<std::remove_cvref_t<First>, void*> ||
     std::is_same_v<std::remove_cvref_t<First>, char*> || std::is_same_v<std::remove_cvref_t<First>, std::uint8_t*> ||
     std::is_same_v<std::remove_cvref_t<First>, ::cuda::std::byte*>);

template <class Call, class First, class Second, class... Rest>
cudaError_t in_two_phases(Call call, First&& first, Second&& second, Rest&&... rest) {
  if constexpr (asks_for_scratch<First, Second>) {
    if (first == nullptr) {
      second = 1;
      return cudaSuccess;
    }
    return on_upsweep::told([&] { call(on_upsweep::plain(rest)...); });
  } else {
    return on_upsweep::told(
        [&] { call(on_upsweep::plain(first), on_upsweep::plain(second), on_upsweep::plain(rest)...); });
  }
}

// A pointer's elements as a span; those of any other iterator as a range that reads them where they are asked for.
template <class It>
auto from(It first, std::uint64_t n) {
  return upsweep::thrust_calls::input(first, n);
}
template <class It>
using value_of = typename std::iterator_traits<It>::value_type;
// CUB's: what an output holds, or, where that says nothing, what the input does.
template <class Out, class In>
using output_value = cub::detail::non_void_value_t<Out, value_of<In>>;

template <class T>
span<T> span_of(T* x, std::uint64_t n) {
  return span<T>(x, n);
}

template <class Vector, class Out>
void put(const Vector& from, std::size_t n, Out to) {
  on_upsweep::settled();
  for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
}
template <class T, class In>
vector<T> copied(In first, std::size_t n) {
  vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(first[i]);
  return x;
}

template <class First, class... Rest>
First first_of(First first, Rest...) {
  return first;
}

// A vector's elements as memory of the context, in addition to the memory that `from` returns.
template <class Vector>
auto memory_of(Vector& x) {
  using T = std::conditional_t<std::is_const_v<Vector>, const typename Vector::value_type, typename Vector::value_type>;
  return upsweep::device_span<T>(x.data(), x.size());
}

// Integers by the names that this library has for them: of their width, with or without a sign.
template <class T>
using builtin_integer = std::conditional_t<
    std::is_signed_v<T>,
    std::conditional_t<sizeof(T) == 1, std::int8_t,
                       std::conditional_t<sizeof(T) == 2, std::int16_t,
                                          std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>,
    upsweep::bits_of_size<sizeof(T)>>;

// An init that is read when the call runs.
template <class T>
T init_of(const T& init) {
  return init;
}
#if defined(__CUDACC__)
template <class T, class Init>
__global__ void read_init(Init init, T* to) {
  *to = static_cast<T>(init);
}
template <class T, class It>
T init_of(const cub::FutureValue<T, It>& init) {  // by the GPU: the host may be unable to read it
  vector<T> found(1);
  read_init<<<1, 1>>>(init, found.data());
  on_upsweep::settled();
  return found[0];
}
#else
template <class T, class It>
T init_of(const cub::FutureValue<T, It>& init) {
  return static_cast<T>(init);
}
#endif

}  // namespace on_upsweep

// A function of one of CUB's structs, answered by the function of its name among `answers`.
#define ON_UPSWEEP_CALL(answers, name)                                                                 \
  template <class... A>                                                                                \
  static cudaError_t name(A&&... a) {                                                                  \
    return on_upsweep::in_two_phases([](auto&&... x) { answers::name(x...); }, std::forward<A>(a)...); \
  }
