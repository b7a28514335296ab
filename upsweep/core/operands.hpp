// What a call works on. Every face turns its arguments into operands, once, and asks of them here: memory that does not
// overlap, sizes that agree, room for what is written. Then the ways to and from host memory for those that work on
// chunks of it.
#pragma once

#include <initializer_list>
#include <memory>

#include "upsweep/core/call.hpp"
#include "upsweep/core/custom.hpp"
#include "upsweep/core/sizes.hpp"

namespace upsweep {

template <class... X>
concept on_device = (is_device_span<std::remove_cvref_t<X>> && ...);
template <class... X>
concept on_host = (host_range<std::remove_cvref_t<X>> && ...);
// All in device memory, or all in host memory.
template <class... X>
concept operands = on_device<X...> || on_host<X...>;

namespace core {

inline namespace UPSWEEP_COMPILED {
// Whether contents are looked at that only a device can read: where the code is compiled so, or the context says so.
inline bool is_checked(const context& where) { return checking || where.checked(); }
}  // namespace UPSWEEP_COMPILED

// Elements that are read (const T) or written (T): where they are, how many, and whose memory it is.
template <class T>
class operand {
 public:
  using value_type = std::remove_const_t<T>;

  operand() = default;
  operand(memory where, std::uint64_t size, bool on_host) : where_(where), size_(size), on_host_(on_host) {}
  template <class U>
    requires std::convertible_to<U (*)[], T (*)[]>
  operand(device_span<U> s) : operand(s.where(), s.size(), false) {}
  template <class U>
    requires std::convertible_to<U (*)[], T (*)[]>
  operand(buffer<U>& b) : operand(b.span()) {}
  template <class U>
    requires std::convertible_to<const U (*)[], T (*)[]>
  operand(const buffer<U>& b) : operand(b.span()) {}
  template <class U>
    requires std::convertible_to<U (*)[], T (*)[]>
  operand(std::span<U> s) : operand({const_cast<value_type*>(s.data()), 0}, s.size(), true) {}
  template <class U>
    requires(!std::same_as<U, T> && std::convertible_to<U (*)[], T (*)[]>)
  operand(const operand<U>& o) : operand(o.where(), o.size(), o.on_host()) {}

  memory where() const { return where_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return size_ * sizeof(T); }
  bool on_host() const { return on_host_; }
  // Whether that context's device can work on it where it is; else it goes there in chunks.
  bool in_reach_of(const context& c) const { return !on_host_ || c.kind() == backend::cpu; }

  T* data() const { return where_.template as<T>(); }  // host memory, or what the CPU or CUDA has
  T& operator[](std::uint64_t i) const { return data()[i]; }
  operand part(std::uint64_t first, std::uint64_t count) const {
    return {where_.plus_bytes(first * sizeof(T)), count, on_host_};
  }
  // Of host memory.
  std::span<T> host() const { return {data(), size_}; }

 private:
  memory where_;
  std::uint64_t size_ = 0;
  bool on_host_ = false;
};

template <class X>
operand<const element_of<X>> read_operand(const X& x) {
  if constexpr (is_device_span<X>) {
    return x;
  } else {
    return std::span<const element_of<X>>(std::ranges::data(x), std::ranges::size(x));
  }
}

// Whether elements of it can be written: a device span's own, or those that a range leads to.
template <class Y>
inline constexpr bool is_writable =
    !std::is_const_v<std::remove_reference_t<decltype(*std::ranges::data(std::declval<Y&>()))>>;
template <class T>
inline constexpr bool is_writable<device_span<T>> = !std::is_const_v<T>;
template <class T>
inline constexpr bool is_writable<const device_span<T>> = !std::is_const_v<T>;
template <class T>
inline constexpr bool is_writable<buffer<T>> = true;
template <class T>
inline constexpr bool is_writable<const buffer<T>> = false;

template <class Y>
operand<element_of<Y>> written_operand(Y&& y) {
  constexpr bool writable = is_writable<std::remove_reference_t<Y>>;
  static_assert(writable, "upsweep: this call writes its output; this range is const");
  if constexpr (!writable) {
    return {};
  } else if constexpr (on_device<Y>) {
    return y;
  } else {
    return std::span<element_of<Y>>(std::ranges::data(y), std::ranges::size(y));
  }
}

// An operand by its name ("the keys"), its elements' type aside.
struct piece_of_memory {
  template <class T>
  piece_of_memory(const char* its_name, const operand<T>& o)
      : name(its_name), where(o.where()), bytes(o.bytes()), written(!std::is_const_v<T>), on_host(o.on_host()) {}

  const char* name;
  memory where;
  std::uint64_t bytes;
  bool written, on_host;
};

// Throws fault::bad_argument where something written overlaps anything else. Each of the first `in_place` pairs of
// pieces may be exactly the same memory.
void require_apart(const char* where, const context&, std::initializer_list<piece_of_memory>, std::size_t in_place = 0);

// The segments that offsets cut: one less than there are offsets, of which there is one at least.
std::uint64_t segments_of(const char* where, std::uint64_t offsets);
// Throws fault::bad_argument where offsets decrease or pass n. Those that only a device can read are looked at on
// request, and waited for.
void require_offsets(const char* where, const context&, operand<const std::uint64_t> offsets, std::uint64_t n,
                     bool on_devices_too);

// Host memory to the beginning of a device's, and back; done on return.
template <class T>
void send(const context& where, operand<T> to, operand<const T> from) {
  if (from.size()) where.dev().upload(to.where(), from.data(), from.bytes());
}
template <class T>
void fetch(const context& where, operand<T> to, std::type_identity_t<operand<const T>> from) {
  if (to.size()) where.dev().download(to.data(), from.where(), to.bytes());
}

// Host memory for n elements that are written before they are read; std::vector<bool> has none.
template <class T>
class host_array {
 public:
  host_array() = default;
  explicit host_array(std::uint64_t n) : memory_(n ? std::allocator<T>().allocate(n) : nullptr), n_(n) {
    static_assert(std::is_trivially_copyable_v<T>);
  }
  host_array(const T* first, std::uint64_t n) : host_array(n) { std::copy_n(first, n, memory_); }
  host_array(host_array&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), n_(std::exchange(other.n_, 0)) {}
  host_array& operator=(host_array&& other) noexcept {
    std::swap(memory_, other.memory_), std::swap(n_, other.n_);
    return *this;
  }
  ~host_array() {
    if (memory_) std::allocator<T>().deallocate(memory_, n_);
  }

  std::uint64_t size() const { return n_; }
  T* data() const { return memory_; }
  T& operator[](std::uint64_t i) const { return memory_[i]; }
  std::span<T> all() const { return {memory_, n_}; }

 private:
  T* memory_ = nullptr;
  std::uint64_t n_ = 0;
};

// The elements where the host can read them: in place where it can, else a copy.
template <class T>
class readable {
 public:
  readable(const context& where, operand<const T> o) {
    if (o.on_host() || where.kind() == backend::cpu) {
      data_ = o.data();
    } else {
      copy_ = host_array<T>(o.size());
      core::fetch(where, operand<T>(copy_.all()), o);
      data_ = copy_.data();
    }
  }
  const T* data() const { return data_; }
  T operator[](std::uint64_t i) const { return data_[i]; }

 private:
  host_array<T> copy_;
  const T* data_;
};

// Room for `size` counts in scratch, and the way to read them.
inline operand<std::uint64_t> counts_in_scratch(const context& where, std::uint64_t size = 1) {
  return {where.dev().scratch("operands/counts", std::max<std::uint64_t>(size * sizeof(std::uint64_t), 16)), size,
          false};
}
inline std::uint64_t fetch_count(const context& where, operand<std::uint64_t> count) {
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

struct equals {
  template <class T>
  UPSWEEP_HD constexpr bool operator()(const T& a, const T& b) const {
    return core::same_value(a, b);
  }
};

inline error needs_builtin_on_opencl(const char* where, const char* what) {
  return {fault::unsupported, where, std::string(what) + " of your own has no form for OpenCL",
          "use a built-in one, or a CPU or CUDA context"};
}

}  // namespace core

}  // namespace upsweep
