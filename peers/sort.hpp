// What the sorting peers have in common: they take whole keys of the types that fold, ascending, and values of 4 or 8
// bytes.
#pragma once

#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::peers {

inline bool plain_keys(const detail::sort_impl::problem& p) {
  return does_fold(p.type) && !p.descending && p.last_bit == 0 && !p.indices;
}
inline bool takes_keys(const detail::sort_impl::problem& p) { return plain_keys(p) && p.value_bytes == 0; }
// Values as wide as keys: fewer instances of what takes long to compile.
inline bool takes_equal_pairs(const detail::sort_impl::problem& p) {
  return plain_keys(p) && p.value_bytes == size_of(p.type);
}
inline bool takes_pairs(const detail::sort_impl::problem& p) {
  return plain_keys(p) && (p.value_bytes == 4 || p.value_bytes == 8);
}

// Keys that the GPU's peers are compiled for. i32 and i64 take as long as their unsigned kin, f64 as u64.
inline bool is_gpu_key(dtype t) { return t == dtype::u32 || t == dtype::u64 || t == dtype::f32; }
inline bool takes_gpu_keys(const detail::sort_impl::problem& p) { return takes_keys(p) && is_gpu_key(p.type); }

template <class F>
void with_gpu_key(dtype t, F f) {
  switch (t) {
    case dtype::u32: return f(type_tag<std::uint32_t>{});
    case dtype::u64: return f(type_tag<std::uint64_t>{});
    default: return f(type_tag<float>{});
  }
}

}  // namespace upsweep::peers
