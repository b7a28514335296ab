// State of a simulation apart from its bodies, on one device or on a communicator, and the checkpoints of both.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <algorithm>

#include "upsweep/nbody.hpp"
#include "upsweep/nbody/nbody_motion.hpp"

namespace upsweep::detail::nbody_impl {

struct running {
  nbody::parameters rules{};
  nbody::integrator how = nbody::integrator::leapfrog;
  std::uint64_t n = 0;
  double dt = 0, longest = 0, adaptive = 0, time = 0;
  std::uint64_t steps = 0;
  bool forces_at_hand = false;

  bool hermite() const { return how == nbody::integrator::hermite; }
};

// One step. now() and next() are the bodies and where hermite predicts them, find(predicted) finds the forces there,
// and shortest() is the time that adaptive steps go by.
template <class Now, class Next, class Find, class Shortest>
void make_step(running& r, device& d, const Now& now, const Next& next, const Find& find, const Shortest& shortest) {
  const auto have_forces = [&] {
    if (!r.forces_at_hand) find(false);
    r.forces_at_hand = true;
  };
  if (r.how != nbody::integrator::euler || r.adaptive > 0) have_forces();
  if (r.adaptive > 0) r.dt = (std::min)(r.longest, r.adaptive * shortest());
  switch (r.how) {
    case nbody::integrator::euler:
      have_forces();
      kick_and_drift(d, now(), r.dt, r.dt);
      r.forces_at_hand = false;
      break;
    case nbody::integrator::leapfrog:
      kick_and_drift(d, now(), r.dt / 2, r.dt);
      find(false);
      kick_and_drift(d, now(), r.dt / 2, 0);
      break;
    case nbody::integrator::hermite:
      predict(d, now(), next(), r.dt);
      find(true);
      correct(d, now(), next(), r.dt);
      break;
  }
  r.time += r.dt;
  ++r.steps;
}

// Throw as the contract says.
void require_step(double dt, double adaptive);
void require_method(const nbody::parameters&, nbody::integrator);

template <class T>
nbody::invariants invariants_of(const nbody::bodies<T>&, const std::vector<T>& potential);

// All data that is needed to continue: accelerations if the forces are known, and in that case the jerks of hermite.
template <class T>
struct kept : running {
  std::vector<vec4<T>> position{}, velocity{}, acceleration{}, jerk{};
};

template <class T>
std::vector<std::byte> packed(const kept<T>&);
// Throws fault::bad_argument if the bytes are not a checkpoint of this type, or were truncated or changed.
template <class T>
kept<T> unpacked(std::span<const std::byte>);

}  // namespace upsweep::detail::nbody_impl
