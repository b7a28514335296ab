// On the CPU the key of one rank, by two keys of a sample between which it very likely stands, and the first few keys.
#pragma once

#include "upsweep/sort/problem.hpp"

namespace upsweep::sort_room {

// *key = what a stable sort by p's order would put at place k < p.n. Reads the keys twice, and a part of them again.
void find_rank_on_cpu(device& d, const problem& p, std::uint64_t k, void* key);

// Whether p, a top-k, asks for so few that most keys need only be compared with the worst of those found so far.
bool asks_for_few(const problem& p);
// The first p.m keys and their places, for such a p.
void find_few_on_cpu(device& d, const problem& p);

}  // namespace upsweep::sort_room
