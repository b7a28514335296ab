// The tree over a group: each member has a domain of it, and what its walks need of the others'.
#pragma once

#include "upsweep/group/members.hpp"
#include "upsweep/nbody/gravitation.hpp"

namespace upsweep::core {

// Where the tree's calls on a group of CPUs go by domains, if nobody says how: below, all of it with every member is
// sooner done (README.md).
inline constexpr std::uint64_t domains_from = 1 << 16;  // bodies
inline constexpr int domains_for = 3;                   // members

// Whether all of the tree is too large for a member, so that GPUs and OpenCL devices go by domains: bytes of scratch
// for each body of all, as counted, and the part of a device's memory that they may take.
constexpr std::uint64_t whole_tree_bytes(dtype type, std::uint64_t n) { return n * (type == dtype::f32 ? 145 : 220); }
inline bool holds_whole_tree(const device& d, dtype type, std::uint64_t n) {
  return whole_tree_bytes(type, n) <= d.total_memory() / 4 * 3;
}

// Where the tree's order is cut: whole groups of bodies to each member.
std::vector<std::uint64_t> domain_cuts(std::uint64_t n, int members);

// out[i] = {ax, ay, az, potential} of the member's own i-th body, bit for bit as one device finds it through the tree
// of all; `have` cuts the bodies, rows {x, y, z, mass}, fewer than 2^32. Called by all members, of one kind.
//
// Work     a sort of all bodies by their keys over the group; building the own part of the tree and walking it.
// Sent     28 bytes (f64: 48) of each body whose place in the tree's order is another member's, 20 (40) on the way
//          back, and the cells and bodies that another member's walks come by. GPUs and OpenCL devices: 32 (48) and 16
//          (32).
// Scratch  some 150 bytes of each body of the domain, and of what is received. GPUs and OpenCL devices: 250 (f64: 370).
template <class T>
void pull_by_domains(const member&, const gravitation&, std::span<const std::uint64_t> have,
                     device_span<const nbody_room::four<T>> own, device_span<nbody_room::four<T>> out);

// The same by members that are no CPUs: device_domains.cpp.
template <class T>
void pull_by_device_domains(const member&, const gravitation&, std::span<const std::uint64_t> have,
                            device_span<const nbody_room::four<T>> own, device_span<nbody_room::four<T>> out);

extern template void pull_by_domains(const member&, const gravitation&, std::span<const std::uint64_t>,
                                     device_span<const nbody_room::four<float>>, device_span<nbody_room::four<float>>);
extern template void pull_by_domains(const member&, const gravitation&, std::span<const std::uint64_t>,
                                     device_span<const nbody_room::four<double>>,
                                     device_span<nbody_room::four<double>>);

extern template void pull_by_device_domains(const member&, const gravitation&, std::span<const std::uint64_t>,
                                            device_span<const nbody_room::four<float>>,
                                            device_span<nbody_room::four<float>>);
extern template void pull_by_device_domains(const member&, const gravitation&, std::span<const std::uint64_t>,
                                            device_span<const nbody_room::four<double>>,
                                            device_span<nbody_room::four<double>>);

}  // namespace upsweep::core
