// types: the built-in element types, their names at run time, and conversion from a dtype or a name to a C++ type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "upsweep/half.hpp"

namespace upsweep {

enum class dtype : std::uint8_t { i32, u32, i64, u64, f32, f64, i8, u8, i16, u16, f16 };

inline constexpr std::array all_dtypes{dtype::i32, dtype::u32, dtype::i64, dtype::u64, dtype::f32, dtype::f64,
                                       dtype::i8,  dtype::u8,  dtype::i16, dtype::u16, dtype::f16};

// Types that the built-in operators fold. The narrow types are sorted, selected, counted and filtered, but not folded.
inline constexpr std::array folding_dtypes{dtype::i32, dtype::u32, dtype::i64, dtype::u64, dtype::f32, dtype::f64};

constexpr std::string_view name_of(dtype t) {
  constexpr std::string_view names[]{"i32", "u32", "i64", "u64", "f32", "f64", "i8", "u8", "i16", "u16", "f16"};
  return names[static_cast<int>(t)];
}

constexpr std::size_t size_of(dtype t) {
  constexpr std::size_t sizes[]{4, 4, 8, 8, 4, 8, 1, 1, 2, 2, 2};
  return sizes[static_cast<int>(t)];
}

constexpr bool is_floating(dtype t) { return t == dtype::f32 || t == dtype::f64 || t == dtype::f16; }
constexpr bool is_signed(dtype t) {
  return is_floating(t) || t == dtype::i8 || t == dtype::i16 || t == dtype::i32 || t == dtype::i64;
}
constexpr bool does_fold(dtype t) { return t <= dtype::f64; }

constexpr std::optional<dtype> dtype_named(std::string_view name) {
  for (dtype t : all_dtypes)
    if (name_of(t) == name) return t;
  return std::nullopt;
}

// Integers are matched by size and sign, so that long and long long are both i64.
template <class T>
constexpr std::optional<dtype> find_dtype() {
  if constexpr (std::is_same_v<T, float>) {
    return dtype::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return dtype::f64;
  } else if constexpr (std::is_same_v<T, half>) {
    return dtype::f16;
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if constexpr (sizeof(T) == 1) return std::is_signed_v<T> ? dtype::i8 : dtype::u8;
    if constexpr (sizeof(T) == 2) return std::is_signed_v<T> ? dtype::i16 : dtype::u16;
    if constexpr (sizeof(T) == 4) return std::is_signed_v<T> ? dtype::i32 : dtype::u32;
    if constexpr (sizeof(T) == 8) return std::is_signed_v<T> ? dtype::i64 : dtype::u64;
  }
  return std::nullopt;
}

template <class T>
concept builtin_type = find_dtype<T>().has_value();

template <class T>
concept folding_type = builtin_type<T> && does_fold(*find_dtype<T>());

template <builtin_type T>
inline constexpr dtype dtype_of = *find_dtype<T>();

template <class T>
struct type_tag {
  using type = T;
};

// Calls f(type_tag<T>{}) with the C++ type T of `t`, which is one of folding_dtypes.
template <class F>
decltype(auto) with_type(dtype t, F&& f) {
  switch (t) {
    case dtype::i32: return f(type_tag<std::int32_t>{});
    case dtype::u32: return f(type_tag<std::uint32_t>{});
    case dtype::i64: return f(type_tag<std::int64_t>{});
    case dtype::u64: return f(type_tag<std::uint64_t>{});
    case dtype::f32: return f(type_tag<float>{});
    default: break;
  }
  return f(type_tag<double>{});
}

// Calls f(type_tag<T>{}) with the C++ type T of any built-in type `t`.
template <class F>
decltype(auto) with_any_type(dtype t, F&& f) {
  switch (t) {
    case dtype::i8: return f(type_tag<std::int8_t>{});
    case dtype::u8: return f(type_tag<std::uint8_t>{});
    case dtype::i16: return f(type_tag<std::int16_t>{});
    case dtype::u16: return f(type_tag<std::uint16_t>{});
    case dtype::f16: return f(type_tag<half>{});
    default: return with_type(t, f);
  }
}

}  // namespace upsweep
