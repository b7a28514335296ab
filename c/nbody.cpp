// Bodies that attract each other.
#include "upsweep/nbody.hpp"
#include "c/call.hpp"

#include <array>
#include <variant>

using namespace upsweep;
using c::call;
using c::guarded;

struct upsweep_simulation {
  std::variant<nbody::simulation<float>, nbody::simulation<double>> bodies;
};

namespace {

nbody::parameters parameters_of(const call& k, const upsweep_nbody_parameters* parameters) {
  c::require_given(k.name, "the parameters", parameters);
  return {parameters->gravity,
          parameters->softening,
          parameters->theta,
          parameters->criterion,
          parameters->quadrupoles != 0,
          parameters->compensated != 0,
          c::chosen<nbody::method>(k.name, "the method", parameters->method, 3),
          parameters->dimensions};
}

// f(type_tag<T>) for bodies of that type.
template <class F>
void of_bodies(const call& k, upsweep_type type, F f) {
  const dtype t = k.type(type);
  if (t == dtype::f32) return f(type_tag<float>{});
  if (t == dtype::f64) return f(type_tag<double>{});
  throw error(fault::unsupported, k.name, "bodies of " + std::string(name_of(t)), "give f32 or f64");
}

// f(simulation<T>&) where there is one.
template <class S, class F>
upsweep_status with(const char* name, S* s, F f) {
  return guarded([&] {
    c::require_given(name, "the simulation", s);
    std::visit(f, s->bodies);
  });
}

template <class T>
void copied(const std::vector<T>& from, void* to) {
  if (to) std::ranges::copy(from, static_cast<T*>(to));
}

}  // namespace

upsweep_nbody_parameters upsweep_nbody_default_parameters(void) {
  const nbody::parameters p;
  return {p.gravity,   p.softening, p.theta, p.criterion, p.quadrupoles, p.compensated, static_cast<int>(p.method),
          p.dimensions};
}

upsweep_status upsweep_accelerations(const upsweep_context* context, upsweep_type type,
                                     const upsweep_nbody_parameters* parameters, uint64_t n, const void* x,
                                     const void* y, const void* z, const void* mass, void* ax, void* ay, void* az,
                                     void* potential) {
  return guarded([&] {
    const call k("accelerations", context);
    const nbody::parameters given = parameters_of(k, parameters);
    of_bodies(k, type, [&]<class T>(type_tag<T>) {
      const auto in = [&](const char* what, const void* p) { return k.numbers(what, static_cast<const T*>(p), n); };
      const auto out = [&](const char* what, void* p, std::uint64_t count) {
        return core::operand<T>(k.out(what, p, count, sizeof(T)).where(), count, false);
      };
      detail::nbody_impl::evaluate<T>(
          k.where, given,
          {in("x", x), in("y", y), in("z", z), in("the masses", mass), out("ax", ax, n), out("ay", ay, n),
           out("az", az, n), out("the potentials", potential, potential ? n : 0)});
    });
  });
}

upsweep_status upsweep_simulation_make(const upsweep_context* context, upsweep_type type,
                                       const upsweep_nbody_parameters* parameters, upsweep_integrator integrator,
                                       double dt, double adaptive, uint64_t n, const void* const host_state[7],
                                       upsweep_simulation** simulation) {
  return guarded([&] {
    const call k("simulation", context);
    c::require_given(k.name, "the pointer for the simulation", simulation);
    *simulation = nullptr;
    const nbody::parameters given = parameters_of(k, parameters);
    const auto steps = c::chosen<nbody::integrator>(k.name, "the integrator", integrator, 3);
    c::require_given(k.name, "the state", host_state);
    of_bodies(k, type, [&]<class T>(type_tag<T>) {
      nbody::bodies<T> start;
      std::size_t i = 0;
      for (auto* each : {&start.x, &start.y, &start.z, &start.vx, &start.vy, &start.vz, &start.mass}) {
        const auto numbers = k.numbers("the state", static_cast<const T*>(host_state[i++]), n);
        const T* const first = numbers.where().template as<const T>();
        each->assign(first, first + n);
      }
      *simulation = new upsweep_simulation{nbody::simulation<T>(k.where, start, given, steps, dt, adaptive)};
    });
  });
}

void upsweep_simulation_free(upsweep_simulation* simulation) { delete simulation; }

upsweep_status upsweep_simulation_step(upsweep_simulation* simulation, uint64_t steps) {
  return with("simulation_step", simulation, [&](auto& s) { s.step(steps); });
}

upsweep_status upsweep_simulation_at(const upsweep_simulation* simulation, uint64_t* bodies, uint64_t* steps,
                                     double* time, double* dt) {
  return with("simulation_at", simulation, [&](const auto& s) {
    if (bodies) *bodies = s.size();
    if (steps) *steps = s.steps();
    if (time) *time = s.time();
    if (dt) *dt = s.dt();
  });
}

upsweep_status upsweep_simulation_state(upsweep_simulation* simulation, void* const host_state[7]) {
  return with("simulation_state", simulation, [&](auto& s) {
    c::require_given("simulation_state", "the arrays", host_state);
    const auto& now = s.state();
    std::size_t i = 0;
    for (const auto* each : {&now.x, &now.y, &now.z, &now.vx, &now.vy, &now.vz, &now.mass})
      copied(*each, host_state[i++]);
  });
}

upsweep_status upsweep_simulation_forces(upsweep_simulation* simulation, void* const host_forces[4]) {
  return with("simulation_forces", simulation, [&](auto& s) {
    c::require_given("simulation_forces", "the arrays", host_forces);
    const auto& now = s.forces();
    std::size_t i = 0;
    for (const auto* each : {&now.ax, &now.ay, &now.az, &now.potential}) copied(*each, host_forces[i++]);
  });
}

upsweep_status upsweep_simulation_measure(upsweep_simulation* simulation, double host_sums[8]) {
  return with("simulation_measure", simulation, [&](auto& s) {
    c::require_given("simulation_measure", "the sums", host_sums);
    const nbody::invariants all = s.measure();
    const std::array<double, 8> sums{all.kinetic,     all.potential,  all.momentum[0], all.momentum[1],
                                     all.momentum[2], all.angular[0], all.angular[1],  all.angular[2]};
    std::ranges::copy(sums, host_sums);
  });
}
