// Four neighbouring elements, read or written at once.
#pragma once

#include "upsweep/convolve/geometry.hpp"
#include "upsweep/cuda/device.hpp"

namespace upsweep::cuda {

template <class T>
struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) quad {
  T at[4];
};

}  // namespace upsweep::cuda
