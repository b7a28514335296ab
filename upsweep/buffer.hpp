// buffer, device_span: memory on a context's device. A buffer owns the memory, as std::vector does; a device_span is a
// non-owning view of it, as std::span is. Every call takes either.
//
//   upsweep::buffer<float> x(gpu, values);                      // allocates on the device and copies the host range
//   upsweep::buffer<float> y(gpu, x.size());                    // uninitialised
//   upsweep::inclusive_scan(gpu, x.span(), y.span());           // enqueued
//   std::vector<float> sums = y.download();                     // waits, then copies to the host
//   upsweep::device_span<float> part = y.span().subspan(0, 10); // no copy
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "upsweep/context.hpp"
#include "upsweep/core/size_checks.hpp"

namespace upsweep {

// A view of `size` elements of device memory. It has no begin() or end(), because the host may be unable to read the
// memory.
template <class T>
class device_span {
 public:
  using value_type = std::remove_const_t<T>;

  device_span() = default;
  device_span(memory where, std::uint64_t size) : where_(where), size_(size) {}
  // Memory that the caller owns: a CUDA device address, or any address for a CPU context.
  device_span(T* address, std::uint64_t size) : where_{const_cast<value_type*>(address), 0}, size_(size) {}

  template <class U>
    requires std::is_same_v<const U, T>
  device_span(const device_span<U>& writable) : device_span(writable.where(), writable.size()) {}

  std::uint64_t size() const { return size_; }
  memory where() const { return where_; }
  T* data() const { return where_.template as<T>(); }  // CPU and CUDA

  device_span subspan(std::uint64_t first, std::uint64_t count) const {
    if (first > size_ || count > size_ - first)
      core::throw_error(error(
          fault::bad_argument, "device_span::subspan",
          "elements " + std::to_string(first) + " to " + std::to_string(first + count) + " of " + std::to_string(size_),
          "give a range inside the span"));
    return {where_.plus_bytes(first * sizeof(T)), count};
  }

 private:
  memory where_;
  std::uint64_t size_ = 0;
};

// Copies between host and device memory; both spans have the same number of elements. Done on return.
template <class T>
void upload(const context& where, std::span<const std::type_identity_t<T>> from, device_span<T> to) {
  core::require_same_size("upload", "the host span has # elements and the device span #", from.size(), to.size());
  if (!where.device().can_read(to.where())) where.device().refuse(to.where().owner, "upload", "the device span");
  if (to.size()) where.device().upload(to.where(), from.data(), from.size_bytes());
}
template <class T>
void download(const context& where, device_span<T> from, std::span<typename device_span<T>::value_type> to) {
  core::require_same_size("download", "the host span has # elements and the device span #", to.size(), from.size());
  if (!where.device().can_read(from.where())) where.device().refuse(from.where().owner, "download", "the device span");
  if (from.size()) where.device().download(to.data(), from.where(), to.size_bytes());
}

template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: a buffer holds trivially copyable elements; give it a type without its own copy operations");

 public:
  buffer(context where, std::uint64_t size) : context_(std::move(where)), size_(size) {
    if (size > (std::numeric_limits<std::uint64_t>::max)() / sizeof(T))
      core::throw_error(error(
          fault::out_of_memory, "buffer",
          std::to_string(size) + " elements of " + std::to_string(sizeof(T)) + " bytes are more than memory can hold",
          "request fewer elements"));
    memory_ = context_.device().allocate(size * sizeof(T));
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
    if (memory_.base) context_.device().deallocate(memory_);
  }

  std::uint64_t size() const { return size_; }
  device_span<T> span() { return {memory_, size_}; }
  device_span<const T> span() const { return {memory_, size_}; }
  operator device_span<T>() { return span(); }
  operator device_span<const T>() const { return span(); }

  void upload(std::span<const T> host) {
    check_size(host.size(), "buffer::upload");
    if (size_) context_.device().upload(memory_, host.data(), size_ * sizeof(T));
  }
  void download(std::span<T> host) const {
    check_size(host.size(), "buffer::download");
    if (size_) context_.device().download(host.data(), memory_, size_ * sizeof(T));
  }
  std::vector<T> download() const {
    if constexpr (std::is_same_v<T, bool>) {  // std::vector<bool> has no contiguous elements
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
