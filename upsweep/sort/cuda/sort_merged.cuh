// The comparison with which two sorted sequences are merged by a built-in order.
#pragma once

#include "upsweep/sort/cuda/sort_compare.cuh"
#include "upsweep/sort/cuda/sort_cuda_order.cuh"

namespace upsweep::cuda {

// Whether one key precedes another, by their images.
template <class Key>
struct image_less {
  compared_image<Key> image;
  __device__ bool operator()(Key a, Key b) const { return image(a) < image(b); }
};

// For integers of which all bits are compared, an image is the key with some bits flipped: a third of a merge's
// instructions.
template <class Key>
struct turned_less {
  Key turned;
  __device__ bool operator()(Key a, Key b) const { return (a ^ turned) < (b ^ turned); }
};

// For floats of which all bits are compared: the order of their images, NaNs last and equal, zeros equal, in two
// comparisons.
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
