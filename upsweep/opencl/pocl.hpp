// Detects PoCL and its release, with the defects of each release.
#pragma once

#include <string_view>

namespace upsweep::opencl {

// The major release of PoCL, 0 for another platform. `platform`: the value of CL_PLATFORM_VERSION.
int pocl_release(std::string_view platform);

// PoCL from 4 on, including 7.2, records by the address of an instruction whether all items of a group have the same
// value, and keeps the record of instructions that it has deleted. If a new instruction gets the address of a deleted
// loop counter, only the last item's value is kept. With PoCL 5 one compilation of select/count-then-move in four,
// and with PoCL 6 one in twenty, wrote elements to wrong positions, and sorts wrote out of bounds. Without
// optimisation before the loops over items there are no such counters. Later passes still optimise: sorts and
// selections take 1.0 to 1.4 times as long.
inline bool loses_values(std::string_view platform) { return pocl_release(platform) >= 4; }

// The size of the widest vectors that kernels for a CPU may use. Without that optimisation PoCL 7.1 loses the upper
// half of a vector of 64 bytes when it is passed to or returned from a function, including OpenCL's own, on a CPU
// with AVX-512; 5.0 and 6.0 do not.
inline int vector_bytes(std::string_view platform) { return pocl_release(platform) >= 7 ? 32 : 64; }

}  // namespace upsweep::opencl
