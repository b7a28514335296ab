// Reads an input element by element: from memory, through the iterators of a range, or by evaluating a lazy view
// (views.hpp).
#pragma once

#include <ranges>

#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/operands.hpp"

namespace upsweep {

// The memory that an input reads: none, host memory or device memory. It determines where the input can be evaluated.
enum class memory_space : std::uint8_t { any, host, device };

namespace core {

// The type that stores a T: a zip_reference of references is stored as a zip_reference of values (views.hpp).
template <class T>
struct value_type_of {
  using type = T;
};

// A lazy view: element i is at(i).
template <memory_space Space, class At>
class lazy_view {
 public:
  using value_type = typename value_type_of<std::remove_cvref_t<std::invoke_result_t<const At&, std::uint64_t>>>::type;
  static constexpr memory_space space = Space;

  lazy_view(At at, std::uint64_t size) : at_(std::move(at)), size_(size) {}
  UPSWEEP_HD std::uint64_t size() const { return size_; }
  UPSWEEP_HD decltype(auto) operator[](std::uint64_t i) const { return at_(i); }
  const At& at() const { return at_; }

 private:
  At at_;
  std::uint64_t size_;
};

template <memory_space Space, class At>
lazy_view<Space, At> make_lazy_view(At at, std::uint64_t size) {
  return {std::move(at), size};
}

template <class X>
inline constexpr bool is_lazy_view = false;
template <memory_space Space, class At>
inline constexpr bool is_lazy_view<lazy_view<Space, At>> = true;

// Contiguous memory, which the library's own kernels can read.
template <class X>
concept in_memory = operands<X>;
template <class X>
concept random_access = std::ranges::random_access_range<const std::remove_cvref_t<X>> &&
                        std::ranges::sized_range<const std::remove_cvref_t<X>>;
template <class X>
concept readable_input = in_memory<X> || is_lazy_view<std::remove_cvref_t<X>> || random_access<X>;

struct no_element {};

template <memory_space Space, class At>
struct element_type<lazy_view<Space, At>> {
  using type = typename lazy_view<Space, At>::value_type;
};

template <class X>
struct value_in {
  using type = no_element;
};
template <class X>
  requires requires { typename element_type<X>::type; }
struct value_in<X> : element_type<X> {};

// The type of an input's elements; no_element for a type that is not an input.
template <class X>
using value_of = typename value_in<std::remove_cvref_t<X>>::type;

template <class X>
inline constexpr memory_space memory_space_of = memory_space::host;
template <class T>
inline constexpr memory_space memory_space_of<device_span<T>> = memory_space::device;
template <class T>
inline constexpr memory_space memory_space_of<buffer<T>> = memory_space::device;
template <memory_space Space, class At>
inline constexpr memory_space memory_space_of<lazy_view<Space, At>> = Space;
template <class X>
  requires(!std::same_as<X, std::remove_cvref_t<X>>)
inline constexpr memory_space memory_space_of<X> = memory_space_of<std::remove_cvref_t<X>>;

// The memory that several inputs read together.
template <class... X>
inline constexpr memory_space common_memory_space = [] {
  constexpr bool host = ((memory_space_of<X> == memory_space::host) || ...),
                 device = ((memory_space_of<X> == memory_space::device) || ...);
  static_assert(!(host && device), "upsweep: inputs of one call are all in host memory or all in device memory");
  return host ? memory_space::host : device ? memory_space::device : memory_space::any;
}();

// Rejects temporaries: a view is evaluated later, when a temporary vector no longer exists.
template <class X>
constexpr void require_lasting() {
  static_assert(std::is_lvalue_reference_v<X> || is_lazy_view<std::remove_cvref_t<X>> ||
                    is_device_span<std::remove_cvref_t<X>> || std::ranges::borrowed_range<std::remove_cvref_t<X>> ||
                    std::ranges::view<std::remove_cvref_t<X>>,
                "upsweep: this input is a temporary, destroyed before it is read; store it in a variable first");
}

template <class T>
struct from_memory {
  const T* first;
  UPSWEEP_HD constexpr const T& operator()(std::uint64_t i) const { return first[i]; }
};

// from_memory for device memory. OpenCL memory has no address; device source accesses it through `where`.
template <class T>
struct from_device : from_memory<T> {
  memory where;
};

template <class Iterator>
struct from_iterator {
  Iterator first;
  constexpr decltype(auto) operator()(std::uint64_t i) const {
    return first[static_cast<std::iter_difference_t<Iterator>>(i)];
  }
};

// x as a function of the index: small, copyable, and, for x in CUDA memory, callable on the device.
template <class X>
auto function_of_index(const X& x) {
  if constexpr (is_lazy_view<X>) {
    return x.at();
  } else if constexpr (is_device_span<X>) {
    return from_memory<element_of<X>>{core::read_operand(x).data()};
  } else if constexpr (host_range<X>) {
    return from_memory<element_of<X>>{std::ranges::data(x)};
  } else {
    return from_iterator<std::ranges::iterator_t<const X>>{std::ranges::begin(x)};
  }
}

// Throws if the device cannot read memory behind such a function. The library's own functions name the functions that
// they read through `at`, `index` and `rest`; a user's function is not examined.
template <class At>
void require_readable(const upsweep::device& d, const char* call, [[maybe_unused]] const At& at) {
  if constexpr (requires {
                  { at.where } -> std::same_as<const memory&>;
                })
    if (!d.can_read(at.where)) d.refuse(at.where.owner, call, "memory that a lazy view reads");
  if constexpr (requires { at.at; }) core::require_readable(d, call, at.at);
  if constexpr (requires { at.index; }) core::require_readable(d, call, at.index);
  if constexpr (requires { at.rest; }) core::require_readable(d, call, at.rest);
}

// function_of_index(x) for a call on that device, which must be able to read x.
template <class X>
auto reading(const upsweep::device& d, const char* call, const X& x) {
  if constexpr (is_lazy_view<X>) {
    if (x.size() != 0) core::require_readable(d, call, x.at());
  } else if constexpr (is_device_span<X>) {
    const auto o = core::read_operand(x);
    if (o.size() != 0 && !d.can_read(o.where())) d.refuse(o.where().owner, call, "the input");
  }
  return core::function_of_index(x);
}
template <class X>
using reading_of = std::remove_cvref_t<decltype(core::function_of_index(std::declval<const X&>()))>;

// function_of_index(x) in the form that a lazy view of x stores.
template <class X>
auto held(const X& x) {
  if constexpr (is_device_span<X>) {
    using T = element_of<X>;
    const auto o = core::read_operand(x);
    return from_device<T>{{o.data()}, o.where()};
  } else {
    return core::function_of_index(x);
  }
}

template <class X>
std::uint64_t elements_in(const X& x) {
  if constexpr (is_lazy_view<X> || is_device_span<X>) {
    return x.size();
  } else {
    return static_cast<std::uint64_t>(std::ranges::size(x));
  }
}

template <class X>
constexpr void require_input() {
  static_assert(
      readable_input<X>,
      "upsweep: an input is a device span, a buffer, or a range with random access and a size; copy a list or a "
      "stream into a vector first");
}

// Applies a built-in transform after converting the element to the accumulator's type.
template <class A, class F>
struct after_widening {
  static constexpr transform_kind kind = F::kind;
  F f;
  template <class T>
  UPSWEEP_HD constexpr A operator()(const T& x) const {
    return f(static_cast<A>(x));
  }
};

template <class F>
inline constexpr bool is_widening = false;
template <class A, class F>
inline constexpr bool is_widening<after_widening<A, F>> = true;

template <class A, class F>
auto widened(const F& f) {
  if constexpr (builtin_transform<F>) {
    return after_widening<A, F>{f};
  } else {
    return f;
  }
}

// The type of f of an element; for built-in transforms the element's type.
template <class T, class F>
struct made_of {
  using type = std::remove_cvref_t<std::invoke_result_t<const F&, const T&>>;
};
template <class T, builtin_transform F>
struct made_of<T, F> {
  using type = T;
};
template <class X, class F>
using value_through = typename made_of<value_of<X>, F>::type;

// Whether kernels can read X in place: contiguous memory whose elements have the accumulator's type.
template <class X, class A, class F>
inline constexpr bool reads_as = in_memory<X> && std::same_as<value_of<X>, A>;

// Whether F of the elements of X, and an Init, convert to the accumulator's type A. If not, a static_assert says why.
template <class A, class X, class F, class Init = A>
constexpr bool scans_into() {
  core::require_input<X>();
  if constexpr (readable_input<X>) {
    using R = value_through<X, F>;
    constexpr bool place = holds_all<R, A>() || (!std::is_arithmetic_v<R> && std::convertible_to<R, A>),
                   first = given_for<Init, A>;
    static_assert(place,
                  "upsweep: the output's elements do not hold every value of the input's; give it an output of a type "
                  "that does, or convert them by a transform");
    core::require_init<A, Init>();
    static_assert(first, "upsweep: this init does not convert to the output's elements; give one of their type");
    return place && first;
  }
  return false;
}

// A function of the index with the interface of an array: in[i], in + k.
template <class At>
struct as_array {
  At at;
  std::uint64_t first = 0;
  UPSWEEP_HD constexpr decltype(auto) operator[](std::uint64_t i) const { return at(first + i); }
  UPSWEEP_HD constexpr as_array operator+(std::uint64_t k) const { return {at, first + k}; }
};
// Clang before version 17 needs these deduction guides for aggregates.
template <class At>
as_array(At) -> as_array<At>;
template <class At>
as_array(At, std::uint64_t) -> as_array<At>;

}  // namespace core

}  // namespace upsweep
