// A recurrence of a user's steps that are a text: before this stands their definition, STEPS their name, and
// SHARED_LIMIT, the shared memory that a block may have.
#pragma once

#include "upsweep/cuda/text/number.cuh"
#include "upsweep/recurrence/cuda.cuh"

namespace upsweep::text {

using on_ring = cuda::recurrence_on_ring<STEPS>;
using large = on_ring::tuning::large;
using shape = std::conditional_t<sizeof(cuda::tile_ring_shared<on_ring::work<large>>) <= SHARED_LIMIT, large,
                                 on_ring::tuning::small>;
using work = on_ring::work<shape>;

}  // namespace upsweep::text
