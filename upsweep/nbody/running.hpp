// What simulations know beside their bodies, on one device or on a group, and the checkpoints of both.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "upsweep/nbody.hpp"

namespace upsweep::nbody_room {

struct running {
  nbody::physics rules{};
  nbody::integrator how = nbody::integrator::leapfrog;
  std::uint64_t n = 0;
  double dt = 0, longest = 0, adaptive = 0, time = 0;
  std::uint64_t steps = 0;
  bool forces_at_hand = false;

  bool hermite() const { return how == nbody::integrator::hermite; }
};

// Throw as the contract says.
void require_step(double dt, double adaptive);
void require_method(const nbody::physics&, nbody::integrator);

template <class T>
nbody::conserved conserved_of(const nbody::bodies<T>&, const std::vector<T>& potential);

// All that is needed to go on: accelerations where forces are at hand, and then hermite's jerks.
template <class T>
struct kept : running {
  std::vector<four<T>> position{}, velocity{}, acceleration{}, jerk{};
};

template <class T>
std::vector<std::byte> packed(const kept<T>&);
// Throws fault::bad_argument where they are no checkpoint of this type, or were cut short or changed.
template <class T>
kept<T> unpacked(std::span<const std::byte>);

}  // namespace upsweep::nbody_room
