// Orders along an axis on CUDA by a comparison of the user's own: the places of all elements, line after line, are
// sorted by their line and then by it.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/axis_order/cuda.cuh is CUDA; include upsweep/axis.hpp from a .cu file compiled by nvcc"
#endif

#include "upsweep/axis/lines.hpp"
#include "upsweep/core/call.hpp"
#include "upsweep/for_each/cuda.cuh"
#include "upsweep/sort/comparing.hpp"
#include "upsweep/sort/cuda/compare.cuh"

namespace upsweep::cuda {
inline namespace UPSWEEP_COMPILED {

// Place p is element p % length of line p / length.
template <class T, class Compare>
struct by_line_and_key {
  const T* x;
  axis_room::lines all;
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

// Result i is element j < k of a line: out[…] = its key, out2[…] = where it stood; what is null is not written.
template <class T, class I>
struct write_ordered {
  const T* x;
  const std::uint64_t* order;
  axis_room::lines all;
  std::uint64_t k;
  T* out;
  I* out2;

  __device__ void operator()(std::uint64_t i) const {
    const std::uint64_t line = i / k, j = i % k, p = order[line * all.length + j], stood = p % all.length;
    const std::uint64_t to = axis_room::lines{all.outer, k, all.inner}.place(line, j);
    if (out != nullptr) out[to] = x[all.place(line, stood)];
    if (out2 != nullptr) out2[to] = static_cast<I>(stood);
  }
};

// The k first of each line in order. `out` may be exactly `x`; out2 may be null, and so may out.
template <class T, class I, class Compare>
void order_lines(upsweep::device& d, const T* x, const axis_room::lines& l, std::uint64_t k, T* out, I* out2,
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
  sort_room::no_value* const none = nullptr;
  stable_sort_by_key(d, order, order, none, none, n, by_line_and_key<T, Compare>{x, l, compare});
  for_each_index(d, l.count() * k, write_ordered<T, I>{x, order, l, k, out, out2});
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::cuda
