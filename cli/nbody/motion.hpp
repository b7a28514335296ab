// A simulation of either type behind one face, and what is taken from it while it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "upsweep/context.hpp"
#include "upsweep/group/members.hpp"
#include "upsweep/nbody/scenes.hpp"

// Where the bodies are at one step: x, y, z of each, in the simulation's type. The other vector is empty.
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
  upsweep::nbody::physics laws;
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
  virtual void set(const upsweep::nbody::physics&) = 0;
  virtual upsweep::nbody::conserved measure() = 0;
  virtual std::vector<double> masses() = 0;
  virtual nbody_shot shot() = 0;
  virtual std::vector<std::byte> checkpoint() const = 0;
};

std::unique_ptr<nbody_motion> start_motion(const upsweep::context&, const upsweep::nbody::bodies<double>&,
                                           const nbody_settings&);
std::unique_ptr<nbody_motion> resume_motion(const upsweep::context&, upsweep::dtype, const std::vector<std::byte>&);
// By a group: every process makes the same calls, checkpoint() and settings() among them.
std::unique_ptr<nbody_motion> start_motion(const upsweep::group&, const upsweep::nbody::bodies<double>&,
                                           const nbody_settings&);
std::unique_ptr<nbody_motion> resume_motion(const upsweep::group&, upsweep::dtype, const std::vector<std::byte>&);

// How far what must stay has moved, as parts of its scale: energy's of itself; momentum's of sqrt(2 M K), which no sum
// of the bodies' momenta exceeds; angular momentum's of that times the radius of gyration.
struct nbody_drift {
  double energy = 0, momentum = 0, angular = 0;
};
class nbody_ledger {
 public:
  nbody_ledger() = default;
  nbody_ledger(const upsweep::nbody::conserved& start, double mass, double radius)
      : start_(start), mass_(mass), radius_(radius) {}
  nbody_drift against(const upsweep::nbody::conserved& now) const;
  const upsweep::nbody::conserved& start() const { return start_; }
  double mass() const { return mass_; }
  double radius() const { return radius_; }

 private:
  upsweep::nbody::conserved start_;
  double mass_ = 0, radius_ = 0;
};
nbody_ledger ledger_of(nbody_motion&);
