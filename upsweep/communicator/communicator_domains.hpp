// The tree over a communicator: each rank has a domain of it, and receives the cells of others that its walks need.
#pragma once

#include "upsweep/communicator/communicator_ranks.hpp"
#include "upsweep/nbody/nbody_gravitation.hpp"

namespace upsweep::core {

// From these sizes on the tree's calls on a communicator of CPUs use domains, unless the caller chooses. Below them,
// the whole tree on every rank is faster (README.md).
inline constexpr std::uint64_t domains_from = 1 << 16;  // bodies
inline constexpr int domains_for = 3;                   // ranks

// GPUs and OpenCL devices use domains where the whole tree is too large for a rank: counted bytes of scratch for each
// body of all ranks, and the part of a device's memory that they may take.
constexpr std::uint64_t whole_tree_bytes(dtype type, std::uint64_t n) { return n * (type == dtype::f32 ? 145 : 220); }
inline bool holds_whole_tree(const device& d, dtype type, std::uint64_t n) {
  return whole_tree_bytes(type, n) <= d.total_memory() / 4 * 3;
}

// The boundaries of the domains in the tree's order: each rank gets whole groups of bodies.
std::vector<std::uint64_t> domain_cuts(std::uint64_t n, int ranks);

// out[i] = {ax, ay, az, potential} of this rank's i-th body, with the same bits as from one device through the tree
// of all bodies. `have` are the boundaries of the ranks' bodies, rows {x, y, z, mass}; fewer than 2^32. All ranks call
// it, and are of one backend.
//
// Work     a sort of all bodies by their keys over the communicator; building the rank's part of the tree and walking
//          it.
// Sent     28 bytes (f64: 48) for each body that is in another rank's domain, 20 (40) on the way back, and the cells
//          and bodies that another rank's walks need. GPUs and OpenCL devices: 32 (48) and 16 (32).
// Scratch  some 150 bytes for each body of the domain and each received one. GPUs and OpenCL devices: 250 (f64: 370).
template <class T>
void pull_by_domains(const communicator_rank&, const gravitation&, std::span<const std::uint64_t> have,
                     device_span<const detail::nbody_impl::vec4<T>> own, device_span<detail::nbody_impl::vec4<T>> out);

// As above for ranks on GPUs and OpenCL devices: communicator_device_domains.cpp.
template <class T>
void pull_by_device_domains(const communicator_rank&, const gravitation&, std::span<const std::uint64_t> have,
                            device_span<const detail::nbody_impl::vec4<T>> own,
                            device_span<detail::nbody_impl::vec4<T>> out);

extern template void pull_by_domains(const communicator_rank&, const gravitation&, std::span<const std::uint64_t>,
                                     device_span<const detail::nbody_impl::vec4<float>>,
                                     device_span<detail::nbody_impl::vec4<float>>);
extern template void pull_by_domains(const communicator_rank&, const gravitation&, std::span<const std::uint64_t>,
                                     device_span<const detail::nbody_impl::vec4<double>>,
                                     device_span<detail::nbody_impl::vec4<double>>);

extern template void pull_by_device_domains(const communicator_rank&, const gravitation&,
                                            std::span<const std::uint64_t>,
                                            device_span<const detail::nbody_impl::vec4<float>>,
                                            device_span<detail::nbody_impl::vec4<float>>);
extern template void pull_by_device_domains(const communicator_rank&, const gravitation&,
                                            std::span<const std::uint64_t>,
                                            device_span<const detail::nbody_impl::vec4<double>>,
                                            device_span<detail::nbody_impl::vec4<double>>);

}  // namespace upsweep::core
