// N bodies over a group: accelerations, and their motion.
//
//   const auto g = upsweep::group::named("cpu:2,cpu:2");
//   upsweep::nbody::group_simulation<float> s(g, start, {.softening = 0.01});
//   s.step(100);
//   const auto& now = s.state();                                             // on every process
//   upsweep::nbody::accelerations(g, {.theta = 0.7}, x, y, z, mass, ax, ay, az);   // distributed<T>, all cut alike
//
// Result       what nbody.hpp says of one device. On CPUs and on OpenCL devices of one model the bits are those of one
//              such device, however many members there are and however the bodies are parted; through the tree on CUDA,
//              too. All pairs on CUDA are grouped by members: the same bits each time on the same group, within
//              rounding of one GPU's.
// All pairs    every member is brought all positions (16 bytes a body, f64: 32), round a ring, and pulls its own bodies
//              in the order of all; CUDA's members share out the pairs, each once, and exchange what these come to.
// Barnes–Hut   by domains, physics::part, each member has a domain of the tree: bodies sorted by their keys over the
//              group, the own part of the tree, and what its walks need of the others' (domains.hpp). Whole, every
//              member builds the tree of all bodies and walks it for an even part of them, in its order; what the walks
//              come to goes to all, round the ring: the walk's work is parted, building the tree is not. Automatic: by
//              domains from three CPUs and 65536 bodies on, and on GPUs and OpenCL devices where the whole tree would
//              take more than three quarters of a member's memory. The bits are the same.
// Requires     a tree's members are devices of one backend, and of one model with OpenCL: their trees must be the same
//              cell by cell. Other groups take all pairs where the method is automatic.
// Scratch      32 bytes a body of all (f64: 64) with every member, the tree some 100 more (f64: 160). Domains: some 250
//              (f64: 370) of the own, and some 80 (144) of what is received.
// Asynchrony   done on return, on every member.
// Errors       as on one device. Bodies in device memory are looked at where the first member is a CPU, or checks: by
//              each member its own, and without softening all of them by the first.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/group/distributed.hpp"
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
void accelerations_across(const group&, const nbody::physics&, const bodies_across<T>&);

extern template void accelerations_across(const group&, const nbody::physics&, const bodies_across<float>&);
extern template void accelerations_across(const group&, const nbody::physics&, const bodies_across<double>&);

}  // namespace core

namespace nbody {

// T is float or double.
template <class T>
void accelerations(const group& g, const physics& rules, const distributed<T>& x, const distributed<T>& y,
                   const distributed<T>& z, const distributed<T>& mass, distributed<T>& ax, distributed<T>& ay,
                   distributed<T>& az) {
  core::accelerations_across<T>(g, rules, {x, y, z, mass, ax, ay, az, nullptr});
}
template <class T>
void accelerations(const group& g, const physics& rules, const distributed<T>& x, const distributed<T>& y,
                   const distributed<T>& z, const distributed<T>& mass, distributed<T>& ax, distributed<T>& ay,
                   distributed<T>& az, distributed<T>& potential) {
  core::accelerations_across<T>(g, rules, {x, y, z, mass, ax, ay, az, &potential});
}

// simulation's contract, by the members of a group.
template <class T>
class group_simulation {
 public:
  // `start` is the same on every process; each member has an even part of it.
  group_simulation(const group&, const bodies<T>& start, const physics&, integrator = integrator::leapfrog,
                   double dt = 1e-3, double adaptive = 0);
  group_simulation(group_simulation&&) noexcept;
  group_simulation& operator=(group_simulation&&) noexcept;
  ~group_simulation();

  void step(std::uint64_t steps = 1);

  std::size_t size() const;
  double time() const;
  std::uint64_t steps() const;
  double dt() const;
  const physics& rules() const;
  integrator how() const;
  const group& members() const;

  // Of all bodies, on every process; valid until the next call that changes anything. Every process calls them.
  const bodies<T>& state();
  using field = typename simulation<T>::field;
  const field& forces();
  conserved measure();

  // The members' own, as they lie.
  const distributed<four<T>>& positions() const;   // {x, y, z, mass}
  const distributed<four<T>>& velocities() const;  // {vx, vy, vz, 0}

  void set(const physics&);

  // simulation's, in both directions: a run may go on with more or fewer members, or on one device.
  std::vector<std::byte> checkpoint() const;
  static group_simulation resume(const group&, std::span<const std::byte>);

 private:
  struct inside;
  explicit group_simulation(std::unique_ptr<inside>);
  std::unique_ptr<inside> inside_;
};

extern template class group_simulation<float>;
extern template class group_simulation<double>;

}  // namespace nbody

}  // namespace upsweep
