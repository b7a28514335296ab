// The implementation of sort.hpp: sort's problems with values of any size, on device memory and on host memory, and
// the checks of their arguments.
#pragma once

#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {

// sort or segmented-sort on device memory, with values of any size: kernels take 4 and 8 bytes, other values follow by
// indices.
void run_with_values(const target&, const problem& p);

// Runs any of sort's problems on host memory and returns when it is done. Inputs larger than the device are processed
// in chunks of at most `chunk` elements (0: as many as fit), whose results are merged here.
void run_from_host(const target&, const problem& p, std::uint64_t chunk = 0);

// A key of rank k of p.in, written to `key` in host memory; p.in is device memory, or host memory with `on_host`.
void find_nth(const target&, const problem& p, std::uint64_t k, void* key, bool on_host);
// p.out = p.in, rearranged around the key of rank k.
void rearrange_around_nth(const target&, const problem& p, std::uint64_t k, bool on_host);

// Throw fault::bad_argument in the name of `where`.
void check_bits(const char* where, unsigned first_bit, unsigned last_bit, unsigned key_bits);
void check_rank(const char* where, std::uint64_t k, std::uint64_t n);

}  // namespace upsweep::detail::sort_impl
