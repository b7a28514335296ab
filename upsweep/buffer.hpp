// Memory on a context's device. A buffer owns it; a device_span is a view that the primitives take.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "upsweep/context.hpp"
#include "upsweep/core/sizes.hpp"

namespace upsweep {

// `size` elements of device memory. It has no begin or end: the host may not be able to read it.
template <class T>
class device_span {
 public:
  using value_type = std::remove_const_t<T>;

  device_span() = default;
  device_span(memory where, std::uint64_t size) : where_(where), size_(size) {}
  // Memory of the caller's own: a CUDA device address, or any address for a CPU context.
  device_span(T* address, std::uint64_t size) : where_{const_cast<value_type*>(address), 0}, size_(size) {}

  template <class U>
    requires std::is_same_v<const U, T>
  device_span(const device_span<U>& writable) : device_span(writable.where(), writable.size()) {}

  std::uint64_t size() const { return size_; }
  memory where() const { return where_; }
  T* data() const { return where_.template as<T>(); }  // CPU and CUDA

  device_span subspan(std::uint64_t first, std::uint64_t count) const {
    if (first > size_ || count > size_ - first)
      throw error(
          fault::bad_argument, "device_span::subspan",
          "elements " + std::to_string(first) + " to " + std::to_string(first + count) + " of " + std::to_string(size_),
          "ask for elements inside the span");
    return {where_.plus_bytes(first * sizeof(T)), count};
  }

 private:
  memory where_;
  std::uint64_t size_ = 0;
};

// To a device's memory and back, as many elements here as there: done on return.
template <class T>
void upload(const context& where, std::span<const std::type_identity_t<T>> from, device_span<T> to) {
  core::require_same_size("upload", "the host span has # elements and the device span #", from.size(), to.size());
  if (to.size()) where.dev().upload(to.where(), from.data(), from.size_bytes());
}
template <class T>
void download(const context& where, device_span<T> from, std::span<typename device_span<T>::value_type> to) {
  core::require_same_size("download", "the host span has # elements and the device span #", to.size(), from.size());
  if (from.size()) where.dev().download(to.data(), from.where(), to.size_bytes());
}

template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: a buffer holds trivially copyable elements; give it a type without its own copy operations");

 public:
  buffer(context where, std::uint64_t size) : context_(std::move(where)), size_(size) {
    if (size > std::numeric_limits<std::uint64_t>::max() / sizeof(T))
      throw error(
          fault::out_of_memory, "buffer",
          std::to_string(size) + " elements of " + std::to_string(sizeof(T)) + " bytes are more than memory can hold",
          "give it fewer");
    memory_ = context_.dev().allocate(size * sizeof(T));
  }
  buffer(context where, std::span<const T> host) : buffer(std::move(where), host.size()) { upload(host); }
  template <std::ranges::contiguous_range R>
    requires std::same_as<std::ranges::range_value_t<R>, T>
  buffer(context where, const R& host) : buffer(std::move(where), std::span<const T>(host)) {}

  buffer(buffer&& other) noexcept
      : context_(other.context_), memory_(std::exchange(other.memory_, {})), size_(std::exchange(other.size_, 0)) {}
  buffer& operator=(buffer&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~buffer() {
    if (memory_.base) context_.dev().release(memory_);
  }

  std::uint64_t size() const { return size_; }
  device_span<T> span() { return {memory_, size_}; }
  device_span<const T> span() const { return {memory_, size_}; }
  operator device_span<T>() { return span(); }
  operator device_span<const T>() const { return span(); }

  void upload(std::span<const T> host) {
    check_size(host.size(), "buffer::upload");
    if (size_) context_.dev().upload(memory_, host.data(), size_ * sizeof(T));
  }
  void download(std::span<T> host) const {
    check_size(host.size(), "buffer::download");
    if (size_) context_.dev().download(host.data(), memory_, size_ * sizeof(T));
  }
  std::vector<T> download() const {
    if constexpr (std::is_same_v<T, bool>) {  // whose vector has no elements in memory
      const auto host = std::make_unique<bool[]>(size_);
      download(std::span<bool>(host.get(), size_));
      return std::vector<bool>(host.get(), host.get() + size_);
    } else {
      std::vector<T> host(size_);
      download(std::span<T>(host));
      return host;
    }
  }

 private:
  void check_size(std::uint64_t host, const char* where) const {
    core::require_same_size(where, "the host span has # elements and the buffer #", host, size_);
  }

  context context_;
  memory memory_;
  std::uint64_t size_ = 0;
};

}  // namespace upsweep
