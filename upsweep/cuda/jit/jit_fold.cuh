// A fold given as device source: the element, its operator and its transform, as kernels take them. The source before
// this file defines SOURCE_ELEMENT and its alignment on the host, OP_SOURCE and IDENTITY_BYTES or OP_NAME, and
// TRANSFORM_SOURCE or TRANSFORM_NAME.
#pragma once

#include "upsweep/operators.hpp"

namespace upsweep::jit {

using element = SOURCE_ELEMENT;
static_assert(alignof(element) == SOURCE_ALIGN,
              "the element type is aligned otherwise on the host than by its device source");

#if defined(OP_NAME)
using op = OP_NAME;
#else
struct element_bytes {
  unsigned char byte[sizeof(element)];
};
struct op {
  static constexpr bool commutes = OP_COMMUTES;
  element operator()(const element& a, const element& b) const { return OP_SOURCE; }
  static element identity() { return __builtin_bit_cast(element, element_bytes{{IDENTITY_BYTES}}); }
};
#endif

#if defined(TRANSFORM_NAME)
using transform = TRANSFORM_NAME;
#else
struct transform {
  element operator()(const element& x) const { return TRANSFORM_SOURCE; }
};
#endif

}  // namespace upsweep::jit
