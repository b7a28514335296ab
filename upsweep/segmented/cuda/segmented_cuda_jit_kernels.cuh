// Run-time compiled by-key passes, after cuda/jit/jit_fold.cuh. The source before this file defines bool same(T a, T
// b), T being a macro, or BY_BITS; and RESULTS, the type of the outputs. segmented_head_bits.cuh is included before
// the user's source.
#pragma once

#include "upsweep/cuda/jit/jit_number.cuh"
#include "upsweep/segmented/cuda/segmented_cuda_tuning.hpp"

namespace upsweep::jit {

#if defined(BY_BITS)
using key = cuda::no_array;
using equality = cuda::equal_elements;
#else
using key = T;
#undef T
struct equality {
  bool operator()(const key& a, const key& b) const { return same(a, b); }
};
#endif

using results = RESULTS;
using pass = cuda::by_key_pass<key, element, op, transform, equality, results>;
inline constexpr int key_bytes = cuda::bytes_of<key>, value_bytes = sizeof(element);
using tuning = by_key_tuning<value_bytes + key_bytes, (key_bytes < value_bytes ? value_bytes : key_bytes)>;
using large_tile = tuning::large_tile;
using ring =
    std::conditional_t<sizeof(cuda::ring_shared<pass, tuning::ring>) <= SHARED_LIMIT, tuning::ring, tuning::small_ring>;

}  // namespace upsweep::jit
