// The tree over a group of CPUs: each member has a domain of it, and what its walks need of the others'.
#pragma once

#include "upsweep/group/members.hpp"
#include "upsweep/nbody/gravitation.hpp"

namespace upsweep::core {

// Where the tree's calls on a group of CPUs go by domains: below, all of it with every member is sooner done
// (README.md).
inline constexpr std::uint64_t domains_from = 1 << 16;  // bodies
inline constexpr int domains_for = 3;                   // members

// out[i] = {ax, ay, az, potential} of the member's own i-th body, bit for bit as one CPU finds it through the tree of
// all; `have` cuts the bodies, rows {x, y, z, mass}. Called by all members, which are CPUs; two at least.
//
// Work     a sort of all bodies by their keys over the group; building the own part of the tree and walking it.
// Sent     28 bytes (f64: 48) of each body whose place in the tree's order is another member's, 20 (40) on the way
//          back, and the cells and bodies that another member's walks come by.
// Scratch  some 150 bytes of each body of the domain, and of what is received.
template <class T>
void pull_by_domains(const member&, const gravitation&, std::span<const std::uint64_t> have,
                     device_span<const nbody_room::four<T>> own, device_span<nbody_room::four<T>> out);

extern template void pull_by_domains(const member&, const gravitation&, std::span<const std::uint64_t>,
                                     device_span<const nbody_room::four<float>>, device_span<nbody_room::four<float>>);
extern template void pull_by_domains(const member&, const gravitation&, std::span<const std::uint64_t>,
                                     device_span<const nbody_room::four<double>>,
                                     device_span<nbody_room::four<double>>);

}  // namespace upsweep::core
