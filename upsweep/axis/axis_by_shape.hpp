// Convenience overloads of axis.hpp's calls: a shape and an axis of it.
#pragma once

#include "upsweep/axis.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

template <class X, class... Rest>
void transform_reduce_along(const context& where, const X& in, const shape& of, int axis, Rest&&... rest) {
  upsweep::transform_reduce_along(where, in, lines_along(of, axis), std::forward<Rest>(rest)...);
}
template <class X, class... Rest>
void reduce_along(const context& where, const X& in, const shape& of, int axis, Rest&&... rest) {
  upsweep::reduce_along(where, in, lines_along(of, axis), std::forward<Rest>(rest)...);
}
template <class X, class... Rest>
void exclusive_scan_along(const context& where, const X& in, const shape& of, int axis, Rest&&... rest) {
  upsweep::exclusive_scan_along(where, in, lines_along(of, axis), std::forward<Rest>(rest)...);
}
template <class X, class... Rest>
void inclusive_scan_along(const context& where, const X& in, const shape& of, int axis, Rest&&... rest) {
  upsweep::inclusive_scan_along(where, in, lines_along(of, axis), std::forward<Rest>(rest)...);
}

// Overloads with options by name: {.descending = true}.
template <class X, class... Rest>
void sort_along(const context& where, X&& in, const shape& of, int axis, Rest&&... rest) {
  upsweep::sort_along(where, std::forward<X>(in), lines_along(of, axis), std::forward<Rest>(rest)...);
}
template <class X>
void sort_along(const context& where, X&& keys, const shape& of, int axis, const sort_options& options) {
  upsweep::sort_along(where, std::forward<X>(keys), lines_along(of, axis), options);
}
template <class X, class Y>
void sort_along(const context& where, const X& in, const shape& of, int axis, Y&& out, const sort_options& options) {
  upsweep::sort_along(where, in, lines_along(of, axis), std::forward<Y>(out), options);
}

template <class X, class... Rest>
void argsort_along(const context& where, const X& keys, const shape& of, int axis, Rest&&... rest) {
  upsweep::argsort_along(where, keys, lines_along(of, axis), std::forward<Rest>(rest)...);
}
template <class X, class I>
void argsort_along(const context& where, const X& keys, const shape& of, int axis, I&& indices,
                   const sort_options& options) {
  upsweep::argsort_along(where, keys, lines_along(of, axis), std::forward<I>(indices), options);
}

template <class X, class... Rest>
void top_k_along(const context& where, const X& in, const shape& of, int axis, std::uint64_t k, Rest&&... rest) {
  upsweep::top_k_along(where, in, lines_along(of, axis), k, std::forward<Rest>(rest)...);
}
template <class X, class Y>
void top_k_along(const context& where, const X& in, const shape& of, int axis, std::uint64_t k, Y&& out,
                 const sort_options& options) {
  upsweep::top_k_along(where, in, lines_along(of, axis), k, std::forward<Y>(out), options);
}
template <class X, class Y, class I>
void top_k_along(const context& where, const X& in, const shape& of, int axis, std::uint64_t k, Y&& out, I&& indices,
                 const sort_options& options) {
  upsweep::top_k_along(where, in, lines_along(of, axis), k, std::forward<Y>(out), std::forward<I>(indices), options);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
