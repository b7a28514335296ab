// Run-time compiled selections. The source before this file defines bool first(T x), with SECOND also bool second(T
// x), or with EQUALITY bool same(T a, T b), or FLAGS; T is a macro. BESIDE is the type of the values that move with
// the elements; or RUN_LENGTHS. DROPS says whether the last group is written, SHARED_LIMIT is a block's limit of
// shared memory. select_run_lengths.cuh is included before the user's source.
#pragma once

#include "upsweep/cuda/jit/jit_number.cuh"

namespace upsweep::jit {

using element = T;
#undef T

#if defined(FLAGS)
using group = cuda::group_by_flag;
#elif defined(EQUALITY)
struct equality {
  bool operator()(const element& a, const element& b) const { return same(a, b); }
};
using group = cuda::group_firsts<equality>;
#else
struct first_test {
#if defined(NEGATED)
  bool operator()(const element& x) const { return !first(x); }
#else
  bool operator()(const element& x) const { return first(x); }
#endif
};
#if defined(SECOND)
struct second_test {
  bool operator()(const element& x) const { return second(x); }
};
using group = cuda::group_by_two<first_test, second_test>;
#else
using group = cuda::group_by_predicate<first_test>;
#endif
#endif

#if defined(RUN_LENGTHS)
using pass = cuda::run_length_pass<element, std::uint64_t, equality>;
using tuning = select_tuning<sizeof(element) + 2, sizeof(element), 28>;
#else
using pass = cuda::compact_pass<element, BESIDE, group, DROPS>;
using tuning = select_tuning<pass::bytes, pass::largest>;
#endif
using small_tile = tuning::small_tile;
using large_tile = tuning::large_tile;
using ring =
    std::conditional_t<sizeof(cuda::ring_shared<pass, tuning::ring>) <= SHARED_LIMIT, tuning::ring, tuning::small_ring>;

}  // namespace upsweep::jit
