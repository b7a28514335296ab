// A recurrence whose steps are user-defined device source. The preceding source defines the steps, the macro STEPS with
// their name, and SHARED_LIMIT, the shared memory that a block may have.
#pragma once

#include "upsweep/cuda/jit/jit_number.cuh"
#include "upsweep/recurrence/recurrence_cuda.cuh"

namespace upsweep::jit {

using on_ring = cuda::recurrence_on_ring<STEPS>;
using large = on_ring::tuning::large;
using shape = std::conditional_t<sizeof(cuda::tile_ring_shared<on_ring::work<large>>) <= SHARED_LIMIT, large,
                                 on_ring::tuning::small>;
using work = on_ring::work<shape>;

}  // namespace upsweep::jit
