// Common interface of f32 and f64 simulations, and the data taken from them during a run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "upsweep/communicator/communicator_ranks.hpp"
#include "upsweep/context.hpp"
#include "upsweep/nbody/nbody_scenes.hpp"

// Positions of the bodies at one step: x, y, z of each, in the simulation's type. The other vector is empty.
struct nbody_shot {
  std::uint64_t step = 0;
  double time = 0;
  std::vector<float> f32;
  std::vector<double> f64;

  std::uint64_t bytes() const { return f32.size() * sizeof(float) + f64.size() * sizeof(double); }
  std::size_t size() const { return (f32.size() + f64.size()) / 3; }
  double at(std::size_t i) const { return f32.empty() ? f64[i] : static_cast<double>(f32[i]); }
};

struct nbody_settings {
  upsweep::nbody::parameters laws;
  upsweep::nbody::integrator how = upsweep::nbody::integrator::leapfrog;
  double dt = 0, adaptive = 0;
  upsweep::dtype type = upsweep::dtype::f32;
};

class nbody_motion {
 public:
  virtual ~nbody_motion() = default;
  virtual void step(std::uint64_t steps) = 0;
  virtual std::size_t size() const = 0;
  virtual double time() const = 0;
  virtual std::uint64_t steps() const = 0;
  virtual nbody_settings settings() const = 0;
  virtual void set(const upsweep::nbody::parameters&) = 0;
  virtual upsweep::nbody::invariants measure() = 0;
  virtual std::vector<double> masses() = 0;
  virtual nbody_shot shot() = 0;
  virtual std::vector<std::byte> checkpoint() const = 0;
};

std::unique_ptr<nbody_motion> start_motion(const upsweep::context&, const upsweep::nbody::bodies<double>&,
                                           const nbody_settings&);
std::unique_ptr<nbody_motion> resume_motion(const upsweep::context&, upsweep::dtype, const std::vector<std::byte>&);
// On a communicator: all processes make the same calls, including checkpoint() and settings().
std::unique_ptr<nbody_motion> start_motion(const upsweep::communicator&, const upsweep::nbody::bodies<double>&,
                                           const nbody_settings&);
std::unique_ptr<nbody_motion> resume_motion(const upsweep::communicator&, upsweep::dtype,
                                            const std::vector<std::byte>&);

// Relative drift of the invariants: energy relative to itself; momentum relative to sqrt(2 M K), an upper bound of the
// sum of the bodies' momenta; angular momentum relative to that times the radius of gyration.
struct nbody_drift {
  double energy = 0, momentum = 0, angular = 0;
};
class nbody_ledger {
 public:
  nbody_ledger() = default;
  nbody_ledger(const upsweep::nbody::invariants& start, double mass, double radius)
      : start_(start), mass_(mass), radius_(radius) {}
  nbody_drift against(const upsweep::nbody::invariants& now) const;
  const upsweep::nbody::invariants& start() const { return start_; }
  double mass() const { return mass_; }
  double radius() const { return radius_; }

 private:
  upsweep::nbody::invariants start_;
  double mass_ = 0, radius_ = 0;
};
nbody_ledger ledger_of(nbody_motion&);
