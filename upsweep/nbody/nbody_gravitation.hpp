// The parameters of the gravitation that a problem of N bodies has.
#pragma once

#include <cstdint>

namespace upsweep {

// The method for accelerations: all n² pairs, or a tree of cells. automatic: the faster method for this n and device.
enum class nbody_method : std::uint8_t { automatic, all_pairs, barnes_hut };

// How the ranks of a communicator share the tree: each has all of it, or a domain of it. Forces are the same.
enum class nbody_domain_decomposition : std::uint8_t { automatic, whole, domains };

// a_i = G Σ_j m_j (x_j - x_i) / (|x_j - x_i|² + ε²)^(3/2), φ_i = -G Σ_j m_j / √(|x_j - x_i|² + ε²), over j ≠ i. With ε
// = 0 bodies on one point do not act on each other.
struct gravitation {
  double constant = 1;   // G
  double softening = 0;  // ε, Plummer's
  double theta = 0.5;    // a cell is one mass where it is seen under a smaller angle; 0: never
  double criterion = 0;  // > 0: instead of θ, a cell's error is to be this small, relative to the body's acceleration
  bool quadrupoles = true;   // cells are masses with their second moments
  bool compensated = false;  // sums carry their rounding along
  bool potentials = true;    // computes φ as well
  bool jerks = false;        // and da/dt, by all pairs alone
  nbody_method method = nbody_method::automatic;
};

namespace detail::nbody_impl {

// A body's numbers as devices have them: {x, y, z, mass}, {vx, vy, vz, 0}, {ax, ay, az, potential}.
template <class T>
struct alignas(16) vec4 {
  T x, y, z, w;
};

}  // namespace detail::nbody_impl

}  // namespace upsweep
