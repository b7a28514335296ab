// The key of one rank, and the first few keys, on the CPU: by two keys of a sample between which the wanted one very
// likely stands.
#pragma once

#include "upsweep/sort/problem.hpp"

namespace upsweep::sort_room {

// *key = what a stable sort by p's order would put at place k < p.n. Reads the keys twice, and a part of them again.
void find_rank_on_cpu(device& d, const problem& p, std::uint64_t k, void* key);

// Whether p, a top-k, asks for so few that a sample tells which keys need to be looked at.
bool asks_for_few(const problem& p);
// The first p.m keys and their places; false where the sample was misleading, and nothing was written.
bool find_few_on_cpu(device& d, const problem& p);

}  // namespace upsweep::sort_room
