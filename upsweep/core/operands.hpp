// Operands of a call. Every public call converts its arguments to operands once and checks them here: no overlap, equal
// sizes, sufficient capacity of outputs. Also copies from and to host memory, for calls that process it in chunks.
#pragma once

#include <initializer_list>
#include <memory>

#include "upsweep/core/custom_operator.hpp"
#include "upsweep/core/lossless_conversion.hpp"
#include "upsweep/core/size_checks.hpp"
#include "upsweep/core/user_call.hpp"

namespace upsweep {

template <class... X>
concept on_device = (is_device_span<std::remove_cvref_t<X>> && ...);
template <class... X>
concept on_host = (host_range<std::remove_cvref_t<X>> && ...);
// Satisfied if all arguments are in device memory, or all in host memory.
template <class... X>
concept operands = on_device<X...> || on_host<X...>;

namespace core {

inline namespace UPSWEEP_COMPILED {
// Whether a call checks contents that only a device can read: if compiled with UPSWEEP_CHECKED, or requested by the
// context.
inline bool is_checked(const context& where) { return checking || where.checked(); }
// Whether a call checks those contents that could make a device access memory out of bounds.
inline bool checks_places(const context& where) { return checking || where.checked_positions(); }
}  // namespace UPSWEEP_COMPILED

// Elements that a call reads (const T) or writes (T): their memory, their number, and whether it is host memory.
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
  // Whether the context's device can access the memory in place. Otherwise the call copies it in chunks.
  bool accessible_from(const context& c) const { return !on_host_ || c.kind() == backend::cpu; }

  T* data() const { return where_.template as<T>(); }  // for host, CPU and CUDA memory
  T& operator[](std::uint64_t i) const { return data()[i]; }
  operand part(std::uint64_t first, std::uint64_t count) const {
    return {where_.plus_bytes(first * sizeof(T)), count, on_host_};
  }
  // For host memory only.
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

// Whether the elements of a device span, or those that a range refers to, can be written.
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

// An operand without its element type, with a name for messages ("the keys").
struct piece_of_memory {
  template <class T>
  piece_of_memory(const char* its_name, const operand<T>& o)
      : name(its_name), where(o.where()), bytes(o.bytes()), written(!std::is_const_v<T>), on_host(o.on_host()) {}

  const char* name;
  memory where;
  std::uint64_t bytes;
  bool written, on_host;
};

// Throws fault::bad_argument if a piece is memory of another device.
void require_reach(const char* where, const context&, std::initializer_list<piece_of_memory>);
// require_reach for inputs of any kind; checks those that are device spans.
template <class... X>
void require_reach_of(const char* where, const context& c, const X&... x) {
  const auto one = [&](const auto& input) {
    using In = std::remove_cvref_t<decltype(input)>;
    if constexpr (is_device_span<In>)
      core::require_reach(where, c, {{"the input", operand<const element_of<In>>(input)}});
  };
  (one(x), ...);
}

// require_reach, and throws fault::bad_argument where something written overlaps anything else. Each of the first
// `in_place` pairs of pieces may be exactly the same memory.
void require_no_overlap(const char* where, const context&, std::initializer_list<piece_of_memory>,
                        std::size_t in_place = 0);

// The number of segments for that many offsets: one less. Throws if there are no offsets.
std::uint64_t segments_of(const char* where, std::uint64_t offsets);
// Throws fault::bad_argument if offsets decrease or exceed n. Offsets that only a device can read are checked on
// request; the call then waits for the device.
void require_offsets(const char* where, const context&, operand<const std::uint64_t> offsets, std::uint64_t n,
                     bool on_devices_too);

// Copies host memory to the beginning of device memory, and back. Done on return.
template <class T>
void upload(const context& where, operand<T> to, operand<const T> from) {
  if (from.size()) where.device().upload(to.where(), from.data(), from.bytes());
}
template <class T>
void download(const context& where, operand<T> to, std::type_identity_t<operand<const T>> from) {
  if (to.size()) where.device().download(to.data(), from.where(), to.bytes());
}

// Uninitialised host memory for n elements. Unlike std::vector<bool>, it stores bool elements contiguously.
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

// Gives the host read access to the elements: in place if possible, else through a copy.
template <class T>
class readable {
 public:
  readable(const context& where, operand<const T> o) {
    if (o.on_host() || where.kind() == backend::cpu) {
      data_ = o.data();
    } else {
      copy_ = host_array<T>(o.size());
      core::download(where, operand<T>(copy_.all()), o);
      data_ = copy_.data();
    }
  }
  const T* data() const { return data_; }
  T operator[](std::uint64_t i) const { return data_[i]; }

 private:
  host_array<T> copy_;
  const T* data_;
};

// Memory for `size` counts in scratch.
inline operand<std::uint64_t> counts_not_fetched(const context& where, std::uint64_t size = 1) {
  return {where.device().scratch("operands/counts", std::max<std::uint64_t>(size * sizeof(std::uint64_t), 16)), size,
          false};
}
// counts_not_fetched for counts that the host reads. Throws during a capture, where the host cannot read them.
inline operand<std::uint64_t> counts_in_scratch(const context& where, std::uint64_t size = 1) {
  where.device().require_no_capture("a call that returns a count");
  return core::counts_not_fetched(where, size);
}
inline std::uint64_t fetch_count(const context& where, operand<std::uint64_t> count) {
  std::uint64_t value = 0;
  where.device().download(&value, count.where(), sizeof value);
  return value;
}

// A built-in type with the size and alignment of T, for moving elements; nullopt if there is none.
template <class T>
constexpr std::optional<dtype> bitwise_type() {
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
    requires requires(const T& a, const T& b) { static_cast<bool>(a == b); }
  UPSWEEP_HD constexpr bool operator()(const T& a, const T& b) const {
    return core::equal_to_op(a, b);
  }
};

// Whether two elements of T can be compared. If not, a static_assert says why.
template <class T, class Equal = equals>
constexpr bool require_equality() {
  constexpr bool asked = std::is_invocable_r_v<bool, const Equal&, const T&, const T&>;
  if constexpr (std::same_as<Equal, equals>)
    static_assert(asked,
                  "upsweep: these elements have no ==; give their type one, or give the call an equality, `bool "
                  "operator()(T a, T b) const`");
  else
    static_assert(
        asked, "upsweep: this equality cannot be called with two elements; give it `bool operator()(T a, T b) const`");
  return asked;
}
// Whether the output has the type of the input, for calls that copy elements without conversion.
template <class T, class U>
constexpr bool require_own_type() {
  constexpr bool same = std::same_as<T, U>;
  static_assert(same, "upsweep: elements are moved without conversion; give an output of the input's type");
  return same;
}

template <class T>
constexpr bool require_counts() {
  constexpr bool counts = std::same_as<T, std::uint64_t>;
  static_assert(counts, "upsweep: lengths, offsets and counts are written as u64; give std::uint64_t");
  return counts;
}

inline error needs_builtin_on_opencl(const char* where, const char* what) {
  return {fault::unsupported, where, std::string(what) + " defined by the user does not run on OpenCL",
          "use a built-in one, or a CPU or CUDA context"};
}

}  // namespace core

}  // namespace upsweep
