// Two sorted sequences become one by a built-in order: which comparison serves it.
#pragma once

#include "upsweep/sort/cuda/compare.cuh"
#include "upsweep/sort/cuda/order.cuh"

namespace upsweep::cuda {

// One key before another, by their images.
template <class Key>
struct image_less {
  compared_image<Key> image;
  __device__ bool operator()(Key a, Key b) const { return image(a) < image(b); }
};

// Where all bits of integers count, an image is the key with some bits turned over: a third of the instructions, of
// which a merge is made.
template <class Key>
struct turned_less {
  Key turned;
  __device__ bool operator()(Key a, Key b) const { return (a ^ turned) < (b ^ turned); }
};

// Where all bits of floats count: what their image says, NaNs last and as equal as zeros are, in two comparisons.
template <class Key>
struct float_less {
  bool descending;
  __device__ bool operator()(Key a, Key b) const {
    using real = std::conditional_t<sizeof(Key) == 4, float, double>;
    const real x = __builtin_bit_cast(real, descending ? b : a), y = __builtin_bit_cast(real, descending ? a : b);
    return x == x && !(x >= y);
  }
};

// Calls f(type_tag of the keys as bits, comparison). last 0: all bits.
template <class F>
void with_merging_order(dtype type, unsigned first, unsigned last, bool descending, const F& f) {
  const auto call = [&]<class Key>(type_tag<Key> key) {
    const compared_image<Key> image(order_of(type), first, last == 0 ? 8 * sizeof(Key) : last, descending);
    if constexpr (sizeof(Key) >= 4)
      if (image.plan.last_bit - image.plan.first_bit == 8 * sizeof(Key))
        return image.floating ? f(key, float_less<Key>{descending}) : f(key, turned_less<Key>{image.plan.flip});
    f(key, image_less<Key>{image});
  };
  switch (size_of(type)) {
    case 1: return call(type_tag<std::uint8_t>{});
    case 2: return call(type_tag<std::uint16_t>{});
    case 4: return call(type_tag<std::uint32_t>{});
    default: return call(type_tag<std::uint64_t>{});
  }
}

}  // namespace upsweep::cuda
