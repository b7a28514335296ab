// Run-time compiled operations on two sorted sequences. The source before this file defines bool compare_less(const
// K& a, const K& b), and VALUE if there are values, SECOND_VALUES if the second sequence has them too; K is a macro.
// sets/sets_cuda.cuh is included before the user's source.
#pragma once

namespace upsweep::jit {

using key = K;
#undef K

struct order {
  bool operator()(const key& a, const key& b) const { return compare_less(a, b); }
};

struct none {};
#if defined(VALUE)
using value = VALUE;
using first_values = const value*;
#else
using value = none;
using first_values = none;
#endif
#if defined(SECOND_VALUES)
using second_values = const value*;
#else
using second_values = none;
#endif

using two = cuda::two_sequences<const key*, const key*, order>;
using cuts = cuda::finds_cuts<two>;
using counts = cuda::counts_kept<two>;
using moves = cuda::moves_kept<two, cuda::moves_pairs<const key*, const key*, first_values, second_values, key, value>>;

}  // namespace upsweep::jit
