// How the CUDA passes by key and by segment cut their work: as select does, with no more than 32 elements a thread, whose heads are
// the bits of one word.
#pragma once

#include "upsweep/select/cuda_tuning.hpp"

namespace upsweep {

// `Bytes`: of an element, its key and its value; `Largest`: of the two.
template <int Bytes, int Largest>
using by_key_tuning = select_tuning<Bytes, Largest, 28>;

}  // namespace upsweep
