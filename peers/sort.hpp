// What the sorting peers have in common: they take whole keys of the types that fold, ascending, and values of 4 or 8
// bytes.
#pragma once

#include "upsweep/catalog.hpp"

namespace upsweep::peers {

inline bool plain_keys(const problem& p) { return does_fold(p.type) && !p.descending && p.last_bit == 0 && !p.indices; }
inline bool takes_keys(const problem& p) { return plain_keys(p) && p.value_bytes == 0; }
inline bool takes_pairs(const problem& p) { return plain_keys(p) && (p.value_bytes == 4 || p.value_bytes == 8); }

}  // namespace upsweep::peers
