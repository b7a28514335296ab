// Operators that can be made to do the wrong thing, included before all else of a copy of the tree that mutants.py
// made.
//
// There `a < b` is `a < mutant::at<17>{} < b`, which means the same, and a <= b in a process that UPSWEEP_MUTANT=17
// runs. So all mutants are of one build. What the compiler computes is never wrong. With UPSWEEP_MUTANTS_SEEN=FILE the
// process writes down which of them it came by.
#pragma once
#if __cplusplus >= 202002L  // CMake asks the compiler for less at first

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace mutant {

inline constexpr int places = 1 << 14;

inline int chosen = [] {  // 0: none; -1: none, and what is met is noted
  if (std::getenv("UPSWEEP_MUTANTS_SEEN")) return -1;
  const char* const number = std::getenv("UPSWEEP_MUTANT");
  return number ? std::atoi(number) : 0;
}();

inline unsigned char seen[places];

inline struct notes {
  ~notes() {
    const char* const name = std::getenv("UPSWEEP_MUTANTS_SEEN");
    std::FILE* const file = name ? std::fopen(name, "w") : nullptr;
    if (!file) return;
    for (int i = 0; i < places; ++i)
      if (seen[i]) std::fprintf(file, "%d\n", i);
    std::fclose(file);
  }
} written_at_the_end;

template <int K>
struct at {};

template <int K>
[[gnu::always_inline]] constexpr bool is_wrong() {
  if (std::is_constant_evaluated()) return false;
  if (chosen < 0) seen[K] = 1;
  return chosen == K;
}

// What stands left of a place, until what stands right of it is there. An array is the address of its first element.
#define UPSWEEP_MUTANT_OPERATOR(NAME, OP, WRONG)                                                               \
  template <int K, class A>                                                                                    \
  struct NAME {                                                                                                \
    A a;                                                                                                       \
    template <class B>                                                                                         \
    [[gnu::always_inline]] friend constexpr auto operator OP(NAME left, const B& b) -> decltype(left.a OP b) { \
      if constexpr (requires { static_cast<decltype(left.a OP b)>(left.a WRONG b); })                          \
        if (is_wrong<K>()) return static_cast<decltype(left.a OP b)>(left.a WRONG b);                          \
      return left.a OP b;                                                                                      \
    }                                                                                                          \
  };                                                                                                           \
  template <int K, class A>                                                                                    \
  [[gnu::always_inline]] constexpr NAME<K, const A&> operator OP(const A & a, at<K>) {                         \
    return {a};                                                                                                \
  }                                                                                                            \
  template <int K, class A, std::size_t N>                                                                     \
  [[gnu::always_inline]] constexpr NAME<K, A*> operator OP(A(&a)[N], at<K>) {                                  \
    return {a};                                                                                                \
  }                                                                                                            \
  template <int K, class A>                                                                                    \
  [[gnu::always_inline]] constexpr NAME<K, A*> operator OP(A(&a)[], at<K>) {                                   \
    return {a};                                                                                                \
  }

UPSWEEP_MUTANT_OPERATOR(less, <, <=)
UPSWEEP_MUTANT_OPERATOR(no_more, <=, <)
UPSWEEP_MUTANT_OPERATOR(more, >, >=)
UPSWEEP_MUTANT_OPERATOR(no_less, >=, >)
UPSWEEP_MUTANT_OPERATOR(equal, ==, !=)
UPSWEEP_MUTANT_OPERATOR(unequal, !=, ==)
UPSWEEP_MUTANT_OPERATOR(sum, +, -)
UPSWEEP_MUTANT_OPERATOR(difference, -, +)
#undef UPSWEEP_MUTANT_OPERATOR

template <int K, bool most, class T>
[[gnu::always_inline]] constexpr T extreme(const T& a, const T& b) {
  return (most ? a < b : b < a) != is_wrong<K>() ? b : a;
}
template <int K, bool most, class T>
constexpr T extreme(std::initializer_list<T> all) {
  T found = *all.begin();
  for (const T& x : all) found = extreme<K, most>(found, x);
  return found;
}

}  // namespace mutant
#endif
