// Sorts by a user-defined comparator. The source before this file defines bool compare_less(const K& a, const K& b),
// K being a macro. sort_compared_runs.cuh or sort_compared_merge.cuh is included before the user's source.
#pragma once

namespace upsweep::jit {

using key = K;
#undef K

struct order {
  bool operator()(const key& a, const key& b) const { return compare_less(a, b); }
};

}  // namespace upsweep::jit
