// Other parts of C++20 that the lens uses and Emscripten 3.1.6's library lacks. Included before every file.
#pragma once

#include <bit>
#include <compare>
#include <memory>
#include <string>
#include <type_traits>

namespace std {

template <class To, class From>
  requires(sizeof(To) == sizeof(From))
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

template <class T>
  requires is_unbounded_array_v<T>
unique_ptr<T> make_unique_for_overwrite(size_t count) {
  return unique_ptr<T>(new remove_extent_t<T>[count]);
}

inline strong_ordering operator<=>(const string& a, const string& b) noexcept { return a.compare(b) <=> 0; }

}  // namespace std
