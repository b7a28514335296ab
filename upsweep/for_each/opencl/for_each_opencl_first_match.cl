// for_each/for_each_first_match.hpp in OpenCL C, for device source that uses it.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

// Reads first: atomic operations on one address are serialised, and this avoids most of them.
static inline void take_least(global ulong* to, ulong x) {
  ulong now = *(volatile global ulong*)to;
  while (x < now) {
    const ulong had = atom_cmpxchg((volatile global ulong*)to, now, x);
    if (had == now) break;
    now = had;
  }
}
static inline ulong least_so_far(global const ulong* at) { return *(volatile global const ulong*)at; }
