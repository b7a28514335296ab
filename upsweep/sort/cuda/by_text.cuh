// Sorts by a user's comparator: before this stands bool stands_before(const K& a, const K& b), K being a macro.
// compared_runs.cuh or compared_two.cuh is included before the texts.
#pragma once

namespace upsweep::text {

using key = K;
#undef K

struct order {
  bool operator()(const key& a, const key& b) const { return stands_before(a, b); }
};

}  // namespace upsweep::text
