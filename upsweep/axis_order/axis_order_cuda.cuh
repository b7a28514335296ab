// Orders along an axis on CUDA by a user-defined comparison: the indices of all elements, line after line, are sorted
// by line, then by the comparison.
#pragma once

#if !defined(__CUDACC__)
#error \
    "upsweep: upsweep/axis_order/axis_order_cuda.cuh is CUDA; include upsweep/axis.hpp from a .cu file compiled by nvcc"
#endif

#include "upsweep/axis/axis_layout.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/for_each/for_each_cuda.cuh"
#include "upsweep/sort/cuda/sort_compare.cuh"
#include "upsweep/sort/sort_comparators.hpp"

namespace upsweep::cuda {
inline namespace UPSWEEP_COMPILED {

// Index p is element p % length of line p / length.
template <class T, class Compare>
struct by_line_and_key {
  const T* x;
  detail::axis_impl::lines all;
  Compare compare;

  UPSWEEP_HD const T& key(std::uint64_t p) const { return x[all.place(p / all.length, p % all.length)]; }
  UPSWEEP_HD bool operator()(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t line = a / all.length, other = b / all.length;
    return line != other ? line < other : static_cast<bool>(core::call(compare, key(a), key(b)));
  }
};

struct own_place {
  std::uint64_t* to;
  __device__ void operator()(std::uint64_t i) const { to[i] = i; }
};

// Result i is element j < k of a line: out[…] = its key, out2[…] = its original index in the line. A null output is not
// written.
template <class T, class I>
struct write_ordered {
  const T* x;
  const std::uint64_t* order;
  detail::axis_impl::lines all;
  std::uint64_t k;
  T* out;
  I* out2;

  __device__ void operator()(std::uint64_t i) const {
    const std::uint64_t line = i / k, j = i % k, p = order[line * all.length + j], stood = p % all.length;
    const std::uint64_t to = detail::axis_impl::lines{all.outer, k, all.inner}.place(line, j);
    if (out != nullptr) out[to] = x[all.place(line, stood)];
    if (out2 != nullptr) out2[to] = static_cast<I>(stood);
  }
};

// The k first of each line in order. `out` may be exactly `x`; out2 may be null, and so may out.
template <class T, class I, class Compare>
void order_lines(upsweep::device& d, const T* x, const detail::axis_impl::lines& l, std::uint64_t k, T* out, I* out2,
                 const Compare& compare) {
  require_device_comparison<T, Compare>();
  const std::uint64_t n = l.elements();
  if (n == 0 || k == 0) return;
  if (out == x) {
    const memory aside = d.scratch("axis/lines", n * sizeof(T));
    d.copy(aside, {const_cast<T*>(x), 0}, n * sizeof(T));
    x = aside.template as<T>();
  }
  auto* const order = d.scratch("axis/stood", n * sizeof(std::uint64_t)).template as<std::uint64_t>();
  for_each_index(d, n, own_place{order});
  detail::sort_impl::no_value* const none = nullptr;
  stable_sort_by_key(d, order, order, none, none, n, by_line_and_key<T, Compare>{x, l, compare});
  for_each_index(d, l.count() * k, write_ordered<T, I>{x, order, l, k, out, out2});
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::cuda
