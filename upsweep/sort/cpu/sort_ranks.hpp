// On the CPU: the key of one rank, found between two keys of a sample that very likely enclose it, and the first few
// keys.
#pragma once

#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {

// *key = the key that a stable sort by p's order would put at index k < p.n. Reads the keys twice, and some of them
// again.
void find_rank_on_cpu(device& d, const problem& p, std::uint64_t k, void* key);

// Whether p, a top-k, requests so few that most keys need only be compared with the greatest of those found so far.
bool asks_for_few(const problem& p);
// The first p.m keys and their indices, for such a p.
void find_few_on_cpu(device& d, const problem& p);

}  // namespace upsweep::detail::sort_impl
