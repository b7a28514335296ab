// What the public templates with several operands share: sizes that must agree, memory that must not overlap, and the
// way to and from host memory for those that work on chunks of it.
#pragma once

#include <initializer_list>

#include "upsweep/core/custom.hpp"

namespace upsweep {

template <class... X>
concept on_device = (is_device_span<std::remove_cvref_t<X>> && ...);
template <class... X>
concept on_host = (host_range<std::remove_cvref_t<X>> && ...);
// All in device memory, or all in host memory.
template <class... X>
concept operands = on_device<X...> || on_host<X...>;

template <class X>
auto input_of(const X& x) {
  using T = element_of<X>;
  if constexpr (is_device_span<X>) {
    return device_span<const T>(x.where(), x.size());
  } else {
    return std::span<const T>(std::ranges::data(x), std::ranges::size(x));
  }
}

template <class Y>
auto output_of(Y&& y) {
  using T = element_of<std::remove_cvref_t<Y>>;
  if constexpr (is_device_span<std::remove_cvref_t<Y>>) {
    return device_span<T>(y.where(), y.size());
  } else {
    return std::span<T>(std::ranges::data(y), std::ranges::size(y));
  }
}

// A host span as a CPU context takes it.
template <class T>
device_span<T> in_place(std::span<T> host) {
  return {host.data(), host.size()};
}

struct piece_of_memory {
  const char* name;  // "the keys"
  memory where;
  std::uint64_t bytes;
  bool written = false;
};

template <class T>
piece_of_memory read_from(const char* name, device_span<T> s) {
  return {name, s.where(), s.size() * sizeof(T)};
}
template <class T>
piece_of_memory written_to(const char* name, device_span<T> s) {
  return {name, s.where(), s.size() * sizeof(T), true};
}

// Throws fault::bad_argument where something written overlaps anything else. Under OpenCL a base is a handle and no
// address.
void require_apart(const char* where, backend, std::initializer_list<piece_of_memory>);
// The same, except that the first two may be exactly the same memory.
void require_apart_or_in_place(const char* where, backend, std::initializer_list<piece_of_memory>);

// Throws fault::bad_argument: "unique_by_key: the keys have 10 elements and the values 9; give both the same size".
void require_same_size(const char* where, const char* a, std::uint64_t size_of_a, const char* b,
                       std::uint64_t size_of_b);
// Throws fault::bad_argument where an output is smaller than what may have to be written.
void require_room(const char* where, const char* what, std::uint64_t size, std::uint64_t needed);

template <class T>
void send(const context& where, device_span<T> to, const T* from) {
  if (to.size()) where.dev().upload(to.where(), from, to.size() * sizeof(T));
}
template <class T>
void fetch(const context& where, T* to, device_span<const T> from) {
  if (from.size()) where.dev().download(to, from.where(), from.size() * sizeof(T));
}

// Room for `size` counts in scratch, and the way to read them.
inline device_span<std::uint64_t> counts_in_scratch(const context& where, std::uint64_t size = 1) {
  return {where.dev().scratch("operands/counts", std::max<std::uint64_t>(size * sizeof(std::uint64_t), 16)), size};
}
inline std::uint64_t fetch_count(const context& where, device_span<std::uint64_t> count) {
  std::uint64_t value = 0;
  where.dev().download(&value, count.where(), sizeof value);
  return value;
}

// The built-in type whose elements move as T's do; nullopt for sizes that no built-in type has.
template <class T>
constexpr std::optional<dtype> moved_as() {
  if constexpr (builtin_type<T>) return dtype_of<T>;
  if constexpr (!std::is_trivially_copyable_v<T>) return std::nullopt;
  switch (sizeof(T)) {
    case 1: return dtype::u8;
    case 2: return dtype::u16;
    case 4: return alignof(T) == 4 ? std::optional(dtype::u32) : std::nullopt;
    case 8: return alignof(T) == 8 ? std::optional(dtype::u64) : std::nullopt;
    default: return std::nullopt;
  }
}

inline error needs_builtin_on_opencl(const char* where, const char* what) {
  return {fault::unsupported, where, std::string(what) + " of your own has no form for OpenCL",
          "use a built-in one, or a CPU or CUDA context"};
}

}  // namespace upsweep
