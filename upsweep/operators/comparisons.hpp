// Tests of elements against a threshold, on built-in types: what select and search take from any .cpp file.
#pragma once

#include "upsweep/core/config.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

template <class T>
compared<T> less_than(T x) {
  return {comparison::less, x};
}
template <class T>
compared<T> at_most(T x) {
  return {comparison::less_equal, x};
}
template <class T>
compared<T> greater_than(T x) {
  return {comparison::greater, x};
}
template <class T>
compared<T> at_least(T x) {
  return {comparison::greater_equal, x};
}
template <class T>
compared<T> equal_to(T x) {
  return {comparison::equal, x};
}
template <class T>
compared<T> not_equal_to(T x) {
  return {comparison::not_equal, x};
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
