// nbody: gravitating bodies. Computes their accelerations, by all pairs or by a Barnes-Hut tree, and moves them.
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
// Operands in device memory stay there:
//
//   upsweep::nbody::accelerations(gpu, {}, x.span(), y.span(), z.span(), mass.span(), ax.span(), ay.span(), az.span());
//   upsweep::nbody::simulation<float> there(gpu, upsweep::nbody::device_bodies<float>{x, y, z, vx, vy, vz, mass}, {});
//   there.step(10);
//   draw(there.state_on_device().positions);                                     // rows of {x, y, z, mass}, in place
//   there.set_state({.vx = vx, .vy = vy, .vz = vz});                             // as written by a user-defined kernel
//
// Result       a_i = G Σ_j m_j (x_j - x_i) / (r² + ε²)^(3/2), potential_i = -G Σ_j m_j / √(r² + ε²), over all j except
//              i. Bodies without mass move, and attract no others. With dimensions = 2 all bodies are in the plane z =
//              0; the force is still 1 / r².
// Units        Those of the caller: G has the unit length³ / (mass · time²). Potentials are per unit of mass.
// Range        Squares of distances are computed in T. A call throws if bodies are 1.8·10^19 (f32) or 1.3·10^154 (f64)
//              or more apart, unless their attraction is 0 in T at that distance; if the softening is that large; and
//              if all bodies are within 1.1·10^-19 (f32) or 1.5·10^-154 (f64). Galaxies in metres exceed the range of
//              f32: use parsecs.
// All pairs    n² interactions of 20 operations (nbody/README.md counts them); on CUDA half as many for many bodies.
//              Reads 16 or 32 bytes per body and tile. Error relative to Σ|a_ij|: about 10^-6 for f32, 3·10^-7
//              compensated; n·10^-16 for f64.
// Barnes–Hut   O(n log n) work. A cell is opened if it is nearer than its size / θ; θ = 0 opens all cells and gives the
//              result of all pairs. With θ = 0.5 and quadrupoles the median error is about 10^-4 of |a|. With criterion
//              > 0 a cell is opened if its error may exceed that fraction of the body's |a|.
// Requires     Masses and positions are finite, and no mass is negative. Without softening no two bodies with mass have
//              the same position. Outputs overlap no other operand. Operands are all in device memory or all in host
//              memory.
// Integrators  euler: semi-implicit, v += a·dt, then x += v·dt; order 1. leapfrog: kick, drift, kick; order 2,
//              symplectic. hermite: predictor and corrector with jerks of Makino and Aarseth; order 4; all pairs only.
//              adaptive = η > 0: before each step dt becomes η times the minimum over the bodies of √|φ| / |a|, of √(ε
//              / |a|) with softening, and of |a| / |da/dt| with hermite; it never exceeds the dt given.
// Scratch      State: 32 to 64 bytes per body (f32). Tree: about 100 more. All pairs of many bodies on CUDA: up to 256
//              MiB of sums, or 32 bytes per body (f64: 64) if that is more. accelerations(): 32 bytes per body (f64:
//              64). The context and the simulation own it.
// Determinism  A simulation repeats bit for bit on one context, and continues bit for bit from a checkpoint.
// Asynchrony   Enqueued: step(), set_state() and copy_state() of device memory, and accelerations() of device spans.
//              The tree waits for the number of its cells, level by level. An adaptive step waits for one number. Long
//              runs wait at every thousandth step. All other calls return after the work is done.
// Errors       upsweep::error, naming the body: a negative or NaN mass, a position or velocity that is NaN or infinite,
//              two bodies at one position without softening, distances whose squares do not fit T. For device memory
//              other than the CPU's these are checked only in checked calls (`checked` of with()). Also: θ < 0, dt <=
//              0, different sizes, overlap, a checkpoint of another version or of other types, or one that is cut
//              short.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/buffer.hpp"
#include "upsweep/nbody/nbody_operands.hpp"

namespace upsweep::nbody {

using method = nbody_method;
using domain_decomposition = nbody_domain_decomposition;

// One element of each array per body. In two dimensions all elements of z and vz are 0.
template <class T>
struct bodies {
  std::vector<T> x, y, z, vx, vy, vz, mass;
  std::size_t size() const { return x.size(); }
  void resize(std::size_t n) {
    for (std::vector<T>* each : {&x, &y, &z, &vx, &vy, &vz, &mass}) each->resize(n);
  }
};

// Bodies in device memory; see bodies.
template <class T>
struct device_bodies {
  device_span<T> x{}, y{}, z{}, vx{}, vy{}, vz{}, mass{};
  std::uint64_t size() const { return x.size(); }
  template <std::same_as<const T> U>
  operator device_bodies<U>() const {
    return {x, y, z, vx, vy, vz, mass};
  }
};

// Four numbers x, y, z, w: the layout in which simulations store positions and velocities.
template <class T>
using vec4 = detail::nbody_impl::vec4<T>;

enum class integrator : std::uint8_t { euler, leapfrog, hermite };

struct parameters {
  double gravity = 1;    // G
  double softening = 0;  // ε
  double theta = 0.5;    // the opening angle
  double criterion = 0;  // > 0: relative error instead of θ
  bool quadrupoles = true;
  bool compensated = false;  // f32 sums with error compensation
  nbody::method method = nbody::method::automatic;
  int dimensions = 3;
  // For a communicator (communicator/communicator_nbody.hpp); not part of a checkpoint.
  nbody::domain_decomposition decomposition = nbody::domain_decomposition::automatic;
};

// Computed in f64 from the state: sums over all bodies. The angular momentum is about the origin.
struct invariants {
  double kinetic = 0, potential = 0, momentum[3] = {}, angular[3] = {};
  double energy() const { return kinetic + potential; }
};

// T is float or double.
template <class T>
class simulation {
 public:
  // adaptive = η > 0: before each step one step length is chosen for all bodies, at most dt.
  simulation(const context& execution_context, const bodies<T>& start, const nbody::parameters&,
             nbody::integrator = nbody::integrator::leapfrog, double dt = 1e-3, double adaptive = 0);
  simulation(const context& execution_context, const device_bodies<const T>& start, const nbody::parameters&,
             nbody::integrator = nbody::integrator::leapfrog, double dt = 1e-3, double adaptive = 0);
  simulation(simulation&&) noexcept;
  simulation& operator=(simulation&&) noexcept;
  ~simulation();

  void step(std::uint64_t steps = 1);

  std::size_t size() const;
  double time() const;
  std::uint64_t steps() const;  // steps made since the start
  double dt() const;            // of the last step; before the first, the one given
  const nbody::parameters& parameters() const;
  nbody::integrator integrator() const;
  const context& execution_context() const;

  // Copied to the host by this call. Valid until the next call that changes the simulation.
  const bodies<T>& state();
  // Accelerations and potentials at the current state, as the last step computed them. On the host; valid as long as
  // state().
  struct field {
    std::vector<T> ax, ay, az, potential;
  };
  const field& forces();
  // The potential energy is computed by the method in use: with a tree it has the error of the tree.
  invariants measure();

  // The arrays of the simulation in device memory, not copies. Work enqueued on execution_context() may use them until
  // the next call that changes the simulation.
  struct rows {
    device_span<const vec4<T>> positions, velocities;  // {x, y, z, mass}, {vx, vy, vz, 0}
  };
  rows state_on_device() const;
  device_span<const vec4<T>> forces_on_device();  // {ax, ay, az, potential}, at the current state

  // copy_state copies the state to device arrays. set_state replaces the state for all later steps. Empty arrays are
  // skipped.
  void copy_state(const device_bodies<T>& to) const;
  void set_state(const device_bodies<const T>&);
  void set_state(const bodies<T>&);

  // Applies to all later steps. The stored accelerations are recomputed.
  void set(const nbody::parameters&);
  void set_dt(double dt, double adaptive = 0);

  // A checkpoint contains all that a context of the same kind needs to continue the simulation bit for bit.
  std::vector<std::byte> checkpoint() const;
  static simulation resume(const context& execution_context, std::span<const std::byte>);

 private:
  struct implementation;
  explicit simulation(std::unique_ptr<implementation>);
  std::unique_ptr<implementation> implementation_;
};

extern template class simulation<float>;
extern template class simulation<double>;

// One evaluation. `potential` is optional, and may be empty. Elements are float or double.
template <class T = void, class X, class Y, class Z, class M, class A, class B, class C,
          class P = detail::nbody_impl::no_operand>
  requires operands<X, Y, Z, M, A, B, C> && detail::nbody_impl::joins<P, X> &&
           (std::same_as<T, void> || std::same_as<T, element_of<X>>)
void accelerations(const context& execution_context, const parameters& parameters, const X& x, const Y& y, const Z& z,
                   const M& mass, A&& ax, B&& ay, C&& az, P&& potential = {}) {
  using Element = element_of<X>;
  constexpr bool alike = detail::nbody_impl::elements_alike<Element, Y, Z, M, A, B, C, P>();
  static_assert(alike, "upsweep: bodies and their accelerations are all f32, or all f64");
  if constexpr (alike)
    detail::nbody_impl::evaluate<Element>(
        execution_context, parameters,
        {core::read_operand(x), core::read_operand(y), core::read_operand(z), core::read_operand(mass),
         core::written_operand(ax), core::written_operand(ay), core::written_operand(az),
         detail::nbody_impl::written_if_there<Element>(potential)});
}

// Throws for bodies that violate Requires or Range above.
template <class T>
void require_bodies(const bodies<T>&, const parameters&);

}  // namespace upsweep::nbody
