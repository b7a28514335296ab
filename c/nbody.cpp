// Bodies that attract each other.
#include "upsweep/nbody.hpp"
#include "c/call.hpp"

using namespace upsweep;
using c::call;
using c::guarded;

upsweep_physics upsweep_default_physics(void) {
  const nbody::physics p;
  return {p.gravity,   p.softening, p.theta, p.criterion, p.quadrupoles, p.compensated, static_cast<int>(p.how),
          p.dimensions};
}

upsweep_status upsweep_accelerations(const upsweep_context* context, upsweep_type type, const upsweep_physics* rules,
                                     uint64_t n, const void* x, const void* y, const void* z, const void* mass,
                                     void* ax, void* ay, void* az, void* potential) {
  return guarded([&] {
    const call k("accelerations", context);
    c::require_given(k.name, "the physics", rules);
    const nbody::physics physics{rules->gravity,
                                 rules->softening,
                                 rules->theta,
                                 rules->criterion,
                                 rules->quadrupoles != 0,
                                 rules->compensated != 0,
                                 c::chosen<nbody::method>(k.name, "the method", rules->method, 3),
                                 rules->dimensions};
    const auto of = [&]<class T>(type_tag<T>) {
      const auto in = [&](const char* what, const void* p) { return k.numbers(what, static_cast<const T*>(p), n); };
      const auto out = [&](const char* what, void* p, std::uint64_t count) {
        return core::operand<T>(k.out(what, p, count, sizeof(T)).where(), count, false);
      };
      nbody_room::evaluate<T>(
          k.where, physics,
          {in("x", x), in("y", y), in("z", z), in("the masses", mass), out("ax", ax, n), out("ay", ay, n),
           out("az", az, n), out("the potentials", potential, potential ? n : 0)});
    };
    const dtype t = k.type(type);
    if (t == dtype::f32) return of(type_tag<float>{});
    if (t == dtype::f64) return of(type_tag<double>{});
    throw error(fault::unsupported, k.name, "bodies of " + std::string(name_of(t)), "give f32 or f64");
  });
}
