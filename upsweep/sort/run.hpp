// Behind sort.hpp: the problems of this room with values of any size, on device memory and on host memory, and the
// checks of their arguments.
#pragma once

#include "upsweep/sort/problem.hpp"

namespace upsweep::sort_room {

// sort or segmented-sort on device memory, with values of any size: kernels take 4 and 8 bytes, other values follow by
// indices.
void run_with_values(const target&, const problem& p);

// Any of the room's problems on host memory: done on return. What is larger than the device is worked on in chunks of
// at most `chunk` elements (0: as many as fit), whose results are merged here.
void run_from_host(const target&, const problem& p, std::uint64_t chunk = 0);

// A key of rank k of p.in, written to `key` in host memory; p.in is device memory, or host memory with `on_host`.
void find_nth(const target&, const problem& p, std::uint64_t k, void* key, bool on_host);
// p.out = p.in, rearranged around the key of rank k.
void rearrange_around_nth(const target&, const problem& p, std::uint64_t k, bool on_host);

// Throw fault::bad_argument in the name of `where`.
void check_bits(const char* where, unsigned first_bit, unsigned last_bit, unsigned key_bits);
void check_rank(const char* where, std::uint64_t k, std::uint64_t n);

}  // namespace upsweep::sort_room
