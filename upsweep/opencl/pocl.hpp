// Which PoCL it is, and what its releases do not bear.
#pragma once

#include <string_view>

namespace upsweep::opencl {

// The number before the point of PoCL's release, 0 where it is another platform; `platform`: what CL_PLATFORM_VERSION
// says.
int pocl_release(std::string_view platform);

// PoCL from 4 on, 7.2 too, looks up by the addresses of instructions whether all items of a group have the same value,
// and keeps what it found of those that it has deleted since. Where another instruction comes to lie where a loop's
// counter was, its value is kept of the last item alone: of PoCL 5 one compilation of select/count-then-move in four,
// and of PoCL 6 one in twenty, put elements into the wrong places, and sorts wrote out of bounds. Without optimisation
// before the loops over items there are no such counters. What comes after is optimised all the same: sorts and
// selections take 1.0 to 1.4 times as long.
inline bool loses_values(std::string_view platform) { return pocl_release(platform) >= 4; }

// The bytes of the widest vectors that kernels for a CPU take. Without that optimisation PoCL 7.1 loses the upper half
// of a vector of 64 bytes wherever a function takes or gives one, OpenCL's own among them, on a CPU with AVX-512; 5.0
// and 6.0 do not.
inline int vector_bytes(std::string_view platform) { return pocl_release(platform) >= 7 ? 32 : 64; }

}  // namespace upsweep::opencl
