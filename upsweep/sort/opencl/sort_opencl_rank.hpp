// The key of one rank on OpenCL, and the first k keys, without sorting the others and without memory for them.
#pragma once

#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::opencl {

// *key = the key that a stable sort by p's order would put at index k < p.n. Waits for it. Without OpenCL in the build
// it throws (core/opencl_absent.cpp).
void find_rank(upsweep::device& d, const detail::sort_impl::problem& p, std::uint64_t k, void* key);

// The first p.m > 0 keys and their indices. Enqueued. Scratch: that of a sort of p.m keys.
void find_first(upsweep::device& d, const detail::sort_impl::problem& p);

}  // namespace upsweep::opencl
