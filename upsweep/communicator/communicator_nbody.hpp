// N bodies over a communicator: accelerations, and their motion.
//
//   const auto g = upsweep::communicator::named("cpu:2,cpu:2");
//   upsweep::nbody::distributed_simulation<float> s(g, start, {.softening = 0.01});
//   s.step(100);
//   const auto& now = s.state();                                             // on every process
//   upsweep::nbody::accelerations(g, {.theta = 0.7}, x, y, z, mass, ax, ay, az);   // distributed<T>, of equal offsets
//
// Result       as nbody.hpp says for one device. On CPUs and on OpenCL devices of one model the bits are those of one
//              such device, for any number of ranks and any partition of the bodies; also through the tree on CUDA. All
//              pairs on CUDA are grouped by ranks: the same bits each time on the same communicator, equal to one
//              GPU's within rounding.
// All pairs    every rank receives all positions (16 bytes a body, f64: 32) through a ring, and sums the forces on its
//              own bodies in the order of all. Ranks on CUDA partition the pairs, each once, and exchange the sums.
// Barnes–Hut   by domains, parameters::decomposition, each rank has a domain of the tree: bodies sorted by their keys
//              over the communicator, the rank's part of the tree, and the cells of other ranks that its walks need
//              (communicator_domains.hpp). Without domains every rank builds the tree of all bodies and walks it for an
//              even part of them, in the tree's order; the results go to all through the ring. The walk's work is
//              partitioned, building the tree is not. Automatic: by domains from three CPUs and 65536 bodies on, and on
//              GPUs and OpenCL devices where the whole tree would take more than three quarters of a rank's memory. The
//              bits are the same.
// Requires     a tree's ranks are devices of one backend, and of one model with OpenCL: their trees must be the same
//              cell by cell. Other communicators use all pairs where the method is automatic.
// Scratch      on every rank 32 bytes for each body of all ranks (f64: 64), the tree some 100 more (f64: 160). Domains:
//              some 250 (f64: 370) for each body of the rank, and some 80 (144) for each that it receives.
// Asynchrony   done on return, on every rank.
// Errors       as on one device. Bodies in device memory are checked only where the first rank is a CPU or a checked
//              context: each rank checks its own, and without softening the first rank checks all of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/communicator/communicator_distributed.hpp"
#include "upsweep/nbody.hpp"

namespace upsweep {

namespace core {

template <class T>
struct bodies_across {
  const distributed<T>&x, &y, &z, &mass;
  distributed<T>&ax, &ay, &az;
  distributed<T>* potential;  // or null
};
template <class T>
void accelerations_across(const communicator&, const nbody::parameters&, const bodies_across<T>&);

extern template void accelerations_across(const communicator&, const nbody::parameters&, const bodies_across<float>&);
extern template void accelerations_across(const communicator&, const nbody::parameters&, const bodies_across<double>&);

}  // namespace core

namespace nbody {

// T is float or double.
template <class T>
void accelerations(const communicator& g, const parameters& rules, const distributed<T>& x, const distributed<T>& y,
                   const distributed<T>& z, const distributed<T>& mass, distributed<T>& ax, distributed<T>& ay,
                   distributed<T>& az) {
  core::accelerations_across<T>(g, rules, {x, y, z, mass, ax, ay, az, nullptr});
}
template <class T>
void accelerations(const communicator& g, const parameters& rules, const distributed<T>& x, const distributed<T>& y,
                   const distributed<T>& z, const distributed<T>& mass, distributed<T>& ax, distributed<T>& ay,
                   distributed<T>& az, distributed<T>& potential) {
  core::accelerations_across<T>(g, rules, {x, y, z, mass, ax, ay, az, &potential});
}

// The contract is simulation's; the ranks of a communicator share the work.
template <class T>
class distributed_simulation {
 public:
  // `start` is the same on every process; each rank takes an even part of it.
  distributed_simulation(const communicator&, const bodies<T>& start, const nbody::parameters&,
                         nbody::integrator = nbody::integrator::leapfrog, double dt = 1e-3, double adaptive = 0);
  distributed_simulation(distributed_simulation&&) noexcept;
  distributed_simulation& operator=(distributed_simulation&&) noexcept;
  ~distributed_simulation();

  void step(std::uint64_t steps = 1);

  std::size_t size() const;
  double time() const;
  std::uint64_t steps() const;
  double dt() const;
  const nbody::parameters& parameters() const;
  nbody::integrator integrator() const;
  const communicator& comm() const;

  // The state of all bodies, on every process; valid until the next call that changes anything. Collective: every
  // process has to call them.
  const bodies<T>& state();
  using field = typename simulation<T>::field;
  const field& forces();
  invariants measure();

  // The ranks' own rows, without a copy.
  const distributed<vec4<T>>& positions() const;   // {x, y, z, mass}
  const distributed<vec4<T>>& velocities() const;  // {vx, vy, vz, 0}

  void set(const nbody::parameters&);

  // As in simulation, in both directions: a run can continue on more or fewer ranks, or on one device.
  std::vector<std::byte> checkpoint() const;
  static distributed_simulation resume(const communicator&, std::span<const std::byte>);

 private:
  struct implementation;
  explicit distributed_simulation(std::unique_ptr<implementation>);
  std::unique_ptr<implementation> implementation_;
};

extern template class distributed_simulation<float>;
extern template class distributed_simulation<double>;

}  // namespace nbody

}  // namespace upsweep
