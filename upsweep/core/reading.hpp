// How an input is read, element by element: from memory, through a range's iterators, or as it is made (inputs.hpp).
#pragma once

#include <ranges>

#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/operands.hpp"

namespace upsweep {

// Where an input's elements come from, and so where they can be read.
enum class home : std::uint8_t { anywhere, host, device };

namespace core {

// What keeps a T: rows refer to what they are made of, and one that is kept has it (inputs.hpp).
template <class T>
struct kept_as {
  using type = T;
};

// Elements that at(0), at(1), … makes.
template <home Home, class At>
class made_input {
 public:
  using value_type = typename kept_as<std::remove_cvref_t<std::invoke_result_t<const At&, std::uint64_t>>>::type;
  static constexpr home lies = Home;

  made_input(At at, std::uint64_t size) : at_(std::move(at)), size_(size) {}
  UPSWEEP_HD std::uint64_t size() const { return size_; }
  UPSWEEP_HD decltype(auto) operator[](std::uint64_t i) const { return at_(i); }
  const At& at() const { return at_; }

 private:
  At at_;
  std::uint64_t size_;
};

template <home Home, class At>
made_input<Home, At> made(At at, std::uint64_t size) {
  return {std::move(at), size};
}

template <class X>
inline constexpr bool is_made = false;
template <home Home, class At>
inline constexpr bool is_made<made_input<Home, At>> = true;

// In one piece of memory, so that the library's own kernels can read it.
template <class X>
concept in_memory = operands<X>;
template <class X>
concept random_access = std::ranges::random_access_range<const std::remove_cvref_t<X>> &&
                        std::ranges::sized_range<const std::remove_cvref_t<X>>;
template <class X>
concept readable_input = in_memory<X> || is_made<std::remove_cvref_t<X>> || random_access<X>;

struct no_element {};

template <home Home, class At>
struct element_type<made_input<Home, At>> {
  using type = typename made_input<Home, At>::value_type;
};

template <class X>
struct value_in {
  using type = no_element;
};
template <class X>
  requires requires { typename element_type<X>::type; }
struct value_in<X> : element_type<X> {};

// An input's elements; no_element of what is none.
template <class X>
using value_of = typename value_in<std::remove_cvref_t<X>>::type;

template <class X>
inline constexpr home home_of = home::host;
template <class T>
inline constexpr home home_of<device_span<T>> = home::device;
template <class T>
inline constexpr home home_of<buffer<T>> = home::device;
template <home Home, class At>
inline constexpr home home_of<made_input<Home, At>> = Home;
template <class X>
  requires(!std::same_as<X, std::remove_cvref_t<X>>)
inline constexpr home home_of<X> = home_of<std::remove_cvref_t<X>>;

// Where inputs lie that are read together.
template <class... X>
inline constexpr home joined_home = [] {
  constexpr bool host = ((home_of<X> == home::host) || ...), device = ((home_of<X> == home::device) || ...);
  static_assert(!(host && device), "upsweep: inputs that are joined lie all in host memory or all in device memory");
  return host ? home::host : device ? home::device : home::anywhere;
}();

// What is read later must still be there: no temporary vector.
template <class X>
constexpr void require_lasting() {
  static_assert(std::is_lvalue_reference_v<X> || is_made<std::remove_cvref_t<X>> ||
                    is_device_span<std::remove_cvref_t<X>> || std::ranges::borrowed_range<std::remove_cvref_t<X>> ||
                    std::ranges::view<std::remove_cvref_t<X>>,
                "upsweep: this input would be gone before it is read; name it first");
}

template <class T>
struct from_memory {
  const T* first;
  UPSWEEP_HD constexpr const T& operator()(std::uint64_t i) const { return first[i]; }
};

// ... of a device's, which under OpenCL has a place and no address: a text reads it there.
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

// x as a function of the index: small, copyable, and on CUDA callable on the device where x lies there.
template <class X>
auto reading(const X& x) {
  if constexpr (is_made<X>) {
    return x.at();
  } else if constexpr (is_device_span<X>) {
    return from_memory<element_of<X>>{core::read_operand(x).data()};
  } else if constexpr (host_range<X>) {
    return from_memory<element_of<X>>{std::ranges::data(x)};
  } else {
    return from_iterator<std::ranges::iterator_t<const X>>{std::ranges::begin(x)};
  }
}

// ... as what is made of x holds it.
template <class X>
auto held(const X& x) {
  if constexpr (is_device_span<X>) {
    using T = element_of<X>;
    const auto o = core::read_operand(x);
    return from_device<T>{{o.data()}, o.where()};
  } else {
    return core::reading(x);
  }
}

template <class X>
std::uint64_t elements_in(const X& x) {
  if constexpr (is_made<X> || is_device_span<X>) {
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

// Built-in transforms are taken after the elements have the type that is folded in.
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

// What f makes of an element; of built-in transforms, the element's own type.
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

// The room's variants and the backends' kernels read it where it is: memory, of the type that is folded in.
template <class X, class A, class F>
inline constexpr bool reads_as = in_memory<X> && std::same_as<value_of<X>, A>;

// Whether X through F folds in A, after an Init that A holds, too; if not, this does not compile and says why.
template <class A, class X, class F, class Init = A>
constexpr bool scans_into() {
  core::require_input<X>();
  if constexpr (readable_input<X>) {
    using R = value_through<X, F>;
    constexpr bool place = holds_all<R, A>() || (!std::is_arithmetic_v<R> && std::convertible_to<R, A>),
                   first = holds_all<Init, A>() || is_plain_number<Init, A> ||
                           (!std::is_arithmetic_v<A> && std::convertible_to<Init, A>);
    static_assert(place,
                  "upsweep: the output's elements do not hold every value of the input's; give it an output of a type "
                  "that does, or convert them by a transform");
    core::require_init<A, Init>();
    static_assert(first || !std::convertible_to<Init, A>,
                  "upsweep: the output's elements do not hold this init; write it in their type");
    return place && first;
  }
  return false;
}

// A function of the index as an array: in[i], in + k.
template <class At>
struct as_array {
  At at;
  std::uint64_t first = 0;
  UPSWEEP_HD constexpr decltype(auto) operator[](std::uint64_t i) const { return at(first + i); }
  UPSWEEP_HD constexpr as_array operator+(std::uint64_t k) const { return {at, first + k}; }
};

}  // namespace core

}  // namespace upsweep
