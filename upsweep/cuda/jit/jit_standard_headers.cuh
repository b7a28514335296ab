// The parts of the standard library's headers that kernels include: NVRTC has none of its own, and the toolkit's may
// be missing where a program runs. Each of <cstdint>, <limits> and so on is this file.
#pragma once

using size_t = decltype(sizeof 0);

namespace std {

using ::size_t;
using ptrdiff_t = long;
using nullptr_t = decltype(nullptr);

using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long;
using uint64_t = unsigned long;
using intptr_t = long;
using uintptr_t = unsigned long;
enum class byte : unsigned char {};

// ---- type_traits

template <class T, T V>
struct integral_constant {
  static constexpr T value = V;
  constexpr operator T() const { return V; }
};
template <bool B>
using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class T>
struct type_identity {
  using type = T;
};
template <class T>
using type_identity_t = T;

template <class, class>
inline constexpr bool is_same_v = false;
template <class T>
inline constexpr bool is_same_v<T, T> = true;
template <class T, class U>
struct is_same : bool_constant<is_same_v<T, U>> {};

template <class T>
struct remove_reference {
  using type = T;
};
template <class T>
struct remove_reference<T&> {
  using type = T;
};
template <class T>
struct remove_reference<T&&> {
  using type = T;
};
template <class T>
struct remove_const {
  using type = T;
};
template <class T>
struct remove_const<const T> {
  using type = T;
};
template <class T>
struct remove_cv {
  using type = T;
};
template <class T>
struct remove_cv<const T> {
  using type = T;
};
template <class T>
struct remove_cv<volatile T> {
  using type = T;
};
template <class T>
struct remove_cv<const volatile T> {
  using type = T;
};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;
template <class T>
struct remove_pointer {
  using type = T;
};
template <class T>
struct remove_pointer<T*> {
  using type = T;
};
template <class T>
using remove_pointer_t = typename remove_pointer<T>::type;

template <bool B, class T, class F>
struct conditional {
  using type = T;
};
template <class T, class F>
struct conditional<false, T, F> {
  using type = F;
};
template <bool B, class T, class F>
using conditional_t = typename conditional<B, T, F>::type;
template <bool B, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};
template <bool B, class T = void>
using enable_if_t = typename enable_if<B, T>::type;
template <class...>
using void_t = void;

template <class T, class... Any>
inline constexpr bool is_any_of = (is_same_v<T, Any> || ...);
template <class T>
inline constexpr bool is_void_v = is_same_v<remove_cv_t<T>, void>;
template <class T>
inline constexpr bool is_integral_v =
    is_any_of<remove_cv_t<T>, bool, char, signed char, unsigned char, wchar_t, char8_t, char16_t, char32_t, short,
              unsigned short, int, unsigned int, long, unsigned long, long long, unsigned long long>;
template <class T>
inline constexpr bool is_floating_point_v = is_any_of<remove_cv_t<T>, float, double>;
template <class T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T>
inline constexpr bool is_aggregate_v = __is_aggregate(T);
template <class T>
inline constexpr bool is_signed_v = [] {
  if constexpr (is_arithmetic_v<T>) return T(-1) < T(0);
  return false;
}();
template <class T>
inline constexpr bool is_unsigned_v = is_arithmetic_v<T> && !is_signed_v<T>;
template <class T>
inline constexpr bool is_empty_v = __is_empty(T);
template <class T>
inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class T>
inline constexpr bool is_copy_assignable_v = __is_assignable(T&, const T&);
template <class From, class To>
inline constexpr bool is_convertible_v = __is_convertible_to(From, To);
template <class Base, class T>
inline constexpr bool is_base_of_v = __is_base_of(Base, T);
template <class T>
inline constexpr bool is_reference_v = false;
template <class T>
inline constexpr bool is_reference_v<T&> = true;
template <class T>
inline constexpr bool is_pointer_v = false;
template <class T>
inline constexpr bool is_pointer_v<T*> = true;
template <class T>
inline constexpr bool is_enum_v = __is_enum(T);

template <class T, class Signed, class Unsigned>
struct of_sign {
  using with = Signed;
  using without = Unsigned;
};
template <class T>
using both_signs = conditional_t<
    sizeof(T) == 1, of_sign<T, signed char, unsigned char>,
    conditional_t<sizeof(T) == 2, of_sign<T, short, unsigned short>,
                  conditional_t<sizeof(T) == 4, of_sign<T, int, unsigned int>, of_sign<T, long, unsigned long>>>>;
template <class T>
using make_signed_t = typename both_signs<T>::with;
template <class T>
using make_unsigned_t = typename both_signs<T>::without;

template <class T>
T&& declval() noexcept;

template <class F, class... A>
using invoke_result_t = decltype(declval<F>()(declval<A>()...));
template <class F, class... A>
inline constexpr bool is_invocable_v = requires(F&& f, A&&... a) { static_cast<F&&>(f)(static_cast<A&&>(a)...); };

// ---- concepts

template <class T, class U>
concept same_as = is_same_v<T, U> && is_same_v<U, T>;
template <class From, class To>
concept convertible_to = is_convertible_v<From, To>;
template <class T, class Base>
concept derived_from = is_base_of_v<Base, T>;
template <class T>
concept integral = is_integral_v<T>;
template <class T>
concept floating_point = is_floating_point_v<T>;
template <class F, class... A>
concept invocable = is_invocable_v<F, A...>;

// ---- limits

template <class T>
struct numeric_limits {
  static constexpr bool is_specialized = is_arithmetic_v<T>, is_integer = is_integral_v<T>, is_signed = is_signed_v<T>,
                        has_infinity = is_floating_point_v<T>, has_quiet_NaN = has_infinity;
  static constexpr int digits = is_same_v<T, float>    ? 24
                                : is_same_v<T, double> ? 53
                                                       : static_cast<int>(sizeof(T)) * 8 - (is_signed ? 1 : 0);
  static constexpr T max() {
    if constexpr (is_same_v<T, float>) {
      return 0x1.fffffep127f;
    } else if constexpr (is_same_v<T, double>) {
      return 0x1.fffffffffffffp1023;
    } else {
      using U = make_unsigned_t<T>;
      return static_cast<T>(is_signed ? static_cast<U>(~U(0)) >> 1 : static_cast<U>(~U(0)));
    }
  }
  static constexpr T lowest() {
    if constexpr (is_floating_point_v<T>) {
      return -max();
    } else {
      return static_cast<T>(~max());
    }
  }
  static constexpr T min() {
    if constexpr (is_same_v<T, float>) {
      return 0x1p-126f;
    } else if constexpr (is_same_v<T, double>) {
      return 0x1p-1022;
    } else {
      return lowest();
    }
  }
  static constexpr T infinity() {
    if constexpr (is_same_v<T, float>) {
      return __builtin_bit_cast(float, 0x7f800000u);
    } else if constexpr (is_same_v<T, double>) {
      return __builtin_bit_cast(double, 0x7ff0000000000000ul);
    } else {
      return T();
    }
  }
  static constexpr T quiet_NaN() {
    if constexpr (is_same_v<T, float>) {
      return __builtin_bit_cast(float, 0x7fc00000u);
    } else if constexpr (is_same_v<T, double>) {
      return __builtin_bit_cast(double, 0x7ff8000000000000ul);
    } else {
      return T();
    }
  }
};

// ---- algorithm, utility, bit

template <class T>
constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
constexpr const T& clamp(const T& x, const T& low, const T& high) {
  return x < low ? low : high < x ? high : x;
}
template <class T>
constexpr void swap(T& a, T& b) {
  T c = a;
  a = b;
  b = c;
}
template <class To, class From>
constexpr To bit_cast(const From& x) {
  return __builtin_bit_cast(To, x);
}
template <class T>
constexpr int countl_zero(T x) {
  int zeros = 0;
  for (int i = static_cast<int>(sizeof(T)) * 8 - 1; i >= 0 && !(x >> i & 1); --i) ++zeros;
  return zeros;
}
template <class T>
constexpr int bit_width(T x) {
  return static_cast<int>(sizeof(T)) * 8 - countl_zero(x);
}
template <class T>
constexpr bool has_single_bit(T x) {
  return x != 0 && (x & (x - 1)) == 0;
}
template <class T>
constexpr T bit_ceil(T x) {
  T power = 1;
  while (power < x) power *= 2;
  return power;
}

template <class A, class B>
struct pair {
  A first;
  B second;
};
template <class A, class B>
pair(A, B) -> pair<A, B>;

// ---- array, optional, string_view: only declared, since headers name them and kernels do not use them

template <class T, size_t N>
struct array {
  T elements[N];
  constexpr T& operator[](size_t i) { return elements[i]; }
  constexpr const T& operator[](size_t i) const { return elements[i]; }
  constexpr T* data() { return elements; }
  constexpr const T* data() const { return elements; }
  constexpr size_t size() const { return N; }
  constexpr T* begin() { return elements; }
  constexpr T* end() { return elements + N; }
  constexpr const T* begin() const { return elements; }
  constexpr const T* end() const { return elements + N; }
};
template <class T, class... Rest>
array(T, Rest...) -> array<T, 1 + sizeof...(Rest)>;

struct nullopt_t {};
inline constexpr nullopt_t nullopt{};
template <class T>
class optional {
 public:
  constexpr optional() = default;
  constexpr optional(nullopt_t) {}
  constexpr optional(T x) : value_(x), has_(true) {}
  constexpr bool has_value() const { return has_; }
  constexpr explicit operator bool() const { return has_; }
  constexpr const T& operator*() const { return value_; }

 private:
  T value_{};
  bool has_ = false;
};

class string_view {
 public:
  constexpr string_view() = default;
  constexpr string_view(const char* text) : text_(text) {
    while (text[size_]) ++size_;
  }
  constexpr size_t size() const { return size_; }
  constexpr const char* data() const { return text_; }
  friend constexpr bool operator==(string_view a, string_view b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i)
      if (a.text_[i] != b.text_[i]) return false;
    return true;
  }

 private:
  const char* text_ = "";
  size_t size_ = 0;
};

}  // namespace std

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::intptr_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;
using std::uintptr_t;
