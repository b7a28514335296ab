// for_each/least.hpp in OpenCL C, for texts that name it.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

// A look first: atomic operations on one place follow each other, and most need not be made.
static inline void take_least(global ulong* to, ulong x) {
  ulong now = *(volatile global ulong*)to;
  while (x < now) {
    const ulong had = atom_cmpxchg((volatile global ulong*)to, now, x);
    if (had == now) break;
    now = had;
  }
}
static inline ulong least_so_far(global const ulong* at) { return *(volatile global const ulong*)at; }
