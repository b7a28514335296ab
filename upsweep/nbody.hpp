// nbody: bodies that attract each other. Their accelerations by all pairs or by a tree of cells (Barnes and Hut), and
// their motion.
//
//   const upsweep::nbody::bodies<float> start{{-1, 1}, {0, 0}, {0, 0}, {0, 0}, {-1, 1}, {0, 0}, {4, 4}};
//                                                                            // x, y, z, vx, vy, vz, mass
//   upsweep::nbody::simulation<float> s(gpu, start, {.softening = 0.01}, upsweep::nbody::integrator::leapfrog, 1e-3);
//   const double before = s.measure().energy();
//   s.step(1000);
//   const auto& now = s.state();                                             // on the host
//   double drift = s.measure().energy() / before - 1;
//   upsweep::nbody::accelerations(cpu, {.theta = 0.7}, x, y, z, mass, ax, ay, az);
//
// Nothing need leave the device:
//
//   upsweep::nbody::accelerations(gpu, {}, x.span(), y.span(), z.span(), mass.span(), ax.span(), ay.span(), az.span());
//   upsweep::nbody::simulation<float> there(gpu, upsweep::nbody::device_bodies<float>{x, y, z, vx, vy, vz, mass}, {});
//   there.step(10);
//   draw(there.state_on_device().positions);                                     // rows of {x, y, z, mass}, in place
//   there.set_state({.vx = vx, .vy = vy, .vz = vz});                             // as a kernel of one's own has them
//
// Result       a_i = G Σ_j m_j (x_j - x_i) / (r² + ε²)^(3/2), potential_i = -G Σ_j m_j / √(r² + ε²), over all j but i.
//              Bodies without mass are moved and move none. With dimensions = 2 all lie in the plane z = 0; the force
//              is the same, 1 / r².
// Units        as the caller's: G is in length³ / (mass · time²), potentials are a unit mass's.
// All pairs    work n² interactions of 20 operations (nbody/README.md counts them), on CUDA half as many for many
//              bodies; reads 16 or 32 bytes a body and tile. f32: errors of some 10^-6 of Σ|a_ij|, compensated 3·10^-7;
//              f64: of n·10^-16.
// Barnes–Hut   work n log n. Cells nearer than their size / θ are opened; θ = 0 opens all and gives all pairs' result.
//              With θ = 0.5 and quadrupoles the median error is some 10^-4 of |a|. criterion > 0: a cell is opened
//              where its error may exceed that part of the body's |a|.
// Requires     masses and positions finite, no mass below 0; without softening no two bodies with mass on one point.
//              What is written overlaps nothing. Operands all in device memory or all in the host's.
// Integrators  euler: semi-implicit, v += a·dt, then x += v·dt; order 1. leapfrog: kick, drift, kick; order 2,
//              symplectic. hermite: Makino and Aarseth's predictor and corrector with jerks; order 4; all pairs alone.
//              adaptive = η > 0: before each step dt becomes η · min over bodies of √|φ| / |a|, of √(ε / |a|) where
//              there is softening, and of
//              |a| / |da/dt| with hermite; never more than the dt given.
// Scratch      state 32 to 64 bytes a body (f32), the tree some 100 more; all pairs of many bodies on CUDA up to 256
//              MiB of sums, or 32 bytes a body (f64: 64) if that is more; accelerations() 32 bytes a body (f64: 64).
//              Owned by the context and the simulation.
// Determinism  a simulation repeats bit for bit on one context, and goes on bit for bit from a checkpoint.
// Asynchrony   step(), set_state() and copy_state() of device memory, and accelerations() of device spans: enqueued.
//              The tree waits while its cells are counted, level by level; adaptive steps wait for a number each; and
//              of many steps every thousandth one is waited for. All else: done on return.
// Errors       upsweep::error, naming the body: a negative or NaN mass, a position or velocity that is NaN or infinite,
//              two bodies on one point without softening (device memory other than the CPU's in checked calls: .checked
//              of with()); θ < 0, dt <= 0, sizes that differ, overlap, a checkpoint of another version, of other types,
//              or cut short.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/buffer.hpp"
#include "upsweep/nbody/operands.hpp"

namespace upsweep::nbody {

using method = nbody_method;
using parting = nbody_parting;

// One of each for every body. In two dimensions z and vz are all 0.
template <class T>
struct bodies {
  std::vector<T> x, y, z, vx, vy, vz, mass;
  std::size_t size() const { return x.size(); }
  void resize(std::size_t n) {
    for (std::vector<T>* each : {&x, &y, &z, &vx, &vy, &vz, &mass}) each->resize(n);
  }
};

// The same in a device's memory.
template <class T>
struct device_bodies {
  device_span<T> x{}, y{}, z{}, vx{}, vy{}, vz{}, mass{};
  std::uint64_t size() const { return x.size(); }
  template <std::same_as<const T> U>
  operator device_bodies<U>() const {
    return {x, y, z, vx, vy, vz, mass};
  }
};

// Four numbers of a body as simulations keep them: x, y, z, w.
template <class T>
using four = nbody_room::four<T>;

enum class integrator : std::uint8_t { euler, leapfrog, hermite };

struct physics {
  double gravity = 1;    // G
  double softening = 0;  // ε
  double theta = 0.5;    // the opening angle
  double criterion = 0;  // > 0: relative error instead of θ
  bool quadrupoles = true;
  bool compensated = false;  // f32 sums that carry their rounding along
  method how = method::automatic;
  int dimensions = 3;
  parting part = parting::automatic;  // on a group (group/bodies.hpp); no part of a checkpoint
};

// Made in f64 from the state. Sums over all bodies; angular momentum about the origin.
struct conserved {
  double kinetic = 0, potential = 0, momentum[3] = {}, angular[3] = {};
  double energy() const { return kinetic + potential; }
};

// T is float or double.
template <class T>
class simulation {
 public:
  // adaptive = η > 0: steps of one length for all bodies, at most dt, chosen before each.
  simulation(const context& where, const bodies<T>& start, const physics&, integrator = integrator::leapfrog,
             double dt = 1e-3, double adaptive = 0);
  simulation(const context& where, const device_bodies<const T>& start, const physics&,
             integrator = integrator::leapfrog, double dt = 1e-3, double adaptive = 0);
  simulation(simulation&&) noexcept;
  simulation& operator=(simulation&&) noexcept;
  ~simulation();

  void step(std::uint64_t steps = 1);

  std::size_t size() const;
  double time() const;
  std::uint64_t steps() const;  // made since the start
  double dt() const;            // of the last step; before the first, the one given
  const physics& rules() const;
  integrator how() const;
  const context& where() const;

  // Brought to the host when asked; valid until the next call that changes anything.
  const bodies<T>& state();
  // Accelerations and potentials at the state, as the last step left them. On the host, valid as long as state().
  struct field {
    std::vector<T> ax, ay, az, potential;
  };
  const field& forces();
  // The potential energy is what the method in use finds: with a tree it has the tree's error.
  conserved measure();

  // In the device's memory, in place, for whatever is enqueued on where() before the next call that changes anything.
  struct rows {
    device_span<const four<T>> positions, velocities;  // {x, y, z, mass}, {vx, vy, vz, 0}
  };
  rows state_on_device() const;
  device_span<const four<T>> forces_on_device();  // {ax, ay, az, potential}, at the state

  // The state to arrays of the device's, and from there, from now on; those that are empty are left out.
  void copy_state(const device_bodies<T>& to) const;
  void set_state(const device_bodies<const T>&);
  void set_state(const bodies<T>&);

  // From now on. The accelerations at hand are made anew.
  void set(const physics&);
  void set_dt(double dt, double adaptive = 0);

  // All that is needed to go on, bit for bit, on a context of the same kind.
  std::vector<std::byte> checkpoint() const;
  static simulation resume(const context& where, std::span<const std::byte>);

 private:
  struct inside;
  explicit simulation(std::unique_ptr<inside>);
  std::unique_ptr<inside> inside_;
};

extern template class simulation<float>;
extern template class simulation<double>;

// One evaluation. `potential` may be left out, or empty. Elements are float or double.
template <class T = void, class X, class Y, class Z, class M, class A, class B, class C,
          class P = nbody_room::no_operand>
  requires operands<X, Y, Z, M, A, B, C> && nbody_room::joins<P, X> &&
           (std::same_as<T, void> || std::same_as<T, element_of<X>>)
void accelerations(const context& where, const physics& rules, const X& x, const Y& y, const Z& z, const M& mass,
                   A&& ax, B&& ay, C&& az, P&& potential = {}) {
  using Element = element_of<X>;
  constexpr bool alike = nbody_room::elements_alike<Element, Y, Z, M, A, B, C, P>();
  static_assert(alike, "upsweep: bodies and their accelerations are all f32, or all f64");
  if constexpr (alike)
    nbody_room::evaluate<Element>(where, rules,
                                  {core::read_operand(x), core::read_operand(y), core::read_operand(z),
                                   core::read_operand(mass), core::written_operand(ax), core::written_operand(ay),
                                   core::written_operand(az), nbody_room::written_if_there<Element>(potential)});
}

// Throws as the contract says.
template <class T>
void require_bodies(const bodies<T>&, const physics&);

}  // namespace upsweep::nbody
