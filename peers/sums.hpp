// Sums of signed integers are those of unsigned ones, bit for bit and instruction for instruction: the GPU's peers are
// compiled for these.
#pragma once

#include "upsweep/types.hpp"

namespace upsweep::peers {

template <class F>
void with_sum_type(dtype t, F f) {
  switch (t) {
    case dtype::i32: return f(type_tag<std::uint32_t>{});
    case dtype::i64: return f(type_tag<std::uint64_t>{});
    case dtype::u32: return f(type_tag<std::uint32_t>{});
    case dtype::u64: return f(type_tag<std::uint64_t>{});
    case dtype::f32: return f(type_tag<float>{});
    default: return f(type_tag<double>{});
  }
}

}  // namespace upsweep::peers
