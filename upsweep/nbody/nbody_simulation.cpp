#include "upsweep/nbody.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

#include <algorithm>

#include "upsweep/buffer.hpp"
#include "upsweep/nbody/nbody_motion.hpp"
#include "upsweep/nbody/nbody_motion_steps.hpp"
#include "upsweep/nbody/nbody_running.hpp"

namespace upsweep::nbody {

namespace impl = detail::nbody_impl;

template <class T>
struct simulation<T>::implementation : impl::running {
  using vec4 = impl::vec4<T>;

  context where;

  // In the device's memory. Hermite keeps jerks, and predicts into separate buffers.
  buffer<vec4> position, velocity, acceleration, jerk, next_position, next_velocity, next_acceleration, next_jerk;

  // Copies on the host, made on request.
  bodies<T> seen;
  field felt;
  bool has_seen = false, has_felt = false;

  implementation(const context& c, const nbody::parameters& p, nbody::integrator i, std::uint64_t count, double step,
                 double eta)
      : running{p, i, count, step, step, eta},
        where(c),
        position(c, count),
        velocity(c, count),
        acceleration(c, count),
        jerk(c, hermite() ? count : 0),
        next_position(c, hermite() ? count : 0),
        next_velocity(c, hermite() ? count : 0),
        next_acceleration(c, hermite() ? count : 0),
        next_jerk(c, hermite() ? count : 0) {
    if (n) device().fill(velocity.span().where(), 0, n * sizeof(vec4));
  }

  running& run() { return *this; }
  const running& run() const { return *this; }
  upsweep::device& device() { return where.device(); }

  impl::moving now() {
    return {dtype_of<T>,        n, position.span().where(), velocity.span().where(), acceleration.span().where(),
            jerk.span().where()};
  }
  impl::moving next() {
    return {dtype_of<T>,
            n,
            next_position.span().where(),
            next_velocity.span().where(),
            next_acceleration.span().where(),
            next_jerk.span().where()};
  }

  void find_forces(const impl::moving& at) {
    detail::nbody_impl::problem p = impl::problem_of(where, rules, dtype_of<T>, n);
    p.in = at.position, p.out = at.acceleration;
    if (hermite()) p.gravity.jerks = true, p.in2 = at.velocity, p.out2 = at.jerk;
    detail::nbody_impl::run(where, p);
  }

  void have_forces() {
    if (forces_at_hand) return;
    find_forces(now());
    forces_at_hand = true;
    has_felt = false;
  }

  void step() {
    impl::make_step(
        run(), device(), [&] { return now(); }, [&] { return next(); },
        [&](bool predicted) { find_forces(predicted ? next() : now()); },
        [&] { return impl::shortest_time(device(), now(), rules.softening, hermite()); });
    has_seen = has_felt = false;
  }

  void send(const bodies<T>& from) {
    std::vector<vec4> x(n), v(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      x[i] = {from.x[i], from.y[i], from.z[i], from.mass[i]};
      v[i] = {from.vx[i], from.vy[i], from.vz[i], 0};
    }
    position.upload(x);
    velocity.upload(v);
    moved();
  }

  template <class E>
  static void require_sizes(const device_bodies<E>& b, std::uint64_t n, bool may_be_empty) {
    for (const std::uint64_t size :
         {b.x.size(), b.y.size(), b.z.size(), b.vx.size(), b.vy.size(), b.vz.size(), b.mass.size()})
      if (!may_be_empty || size)
        core::require_same_size("simulation", "there are # bodies and # of an array", n, size, "give as many of each");
  }
  static impl::columns places(const device_bodies<const T>& b) {
    return {b.x.where(), b.y.where(), b.z.where(), b.mass.where()};
  }
  static impl::columns speeds(const device_bodies<const T>& b) {
    return {b.vx.where(), b.vy.where(), b.vz.where(), memory{}};
  }

  // Checks the bodies, new values and unchanged ones. On the CPU always, on other devices only in checked calls.
  void require_sound(const device_bodies<const T>& from) {
    if (where.kind() != backend::cpu && !core::is_checked(where)) return;
    bodies<T> all;
    all.resize(n);
    const auto look = [&](std::vector<T>& to, device_span<const T> given, std::vector<T> bodies<T>::* kept) {
      if (given.size()) return download(where, given, std::span(to));
      download_state();
      to = seen.*kept;
    };
    look(all.x, from.x, &bodies<T>::x), look(all.y, from.y, &bodies<T>::y), look(all.z, from.z, &bodies<T>::z);
    look(all.vx, from.vx, &bodies<T>::vx), look(all.vy, from.vy, &bodies<T>::vy);
    look(all.vz, from.vz, &bodies<T>::vz), look(all.mass, from.mass, &bodies<T>::mass);
    require_bodies(all, rules);
  }

  void take(const device_bodies<const T>& from) {
    require_sound(from);
    impl::interleave(device(), dtype_of<T>, n, places(from), position.span().where());
    impl::interleave(device(), dtype_of<T>, n, speeds(from), velocity.span().where());
    moved();
  }

  // The bodies have moved, so the known forces are out of date.
  void moved() { forces_at_hand = has_seen = has_felt = false; }

  void download_state() {
    if (has_seen) return;
    seen.resize(n);
    const std::vector<vec4> x = position.download(), v = velocity.download();
    for (std::uint64_t i = 0; i < n; ++i) {
      seen.x[i] = x[i].x, seen.y[i] = x[i].y, seen.z[i] = x[i].z, seen.mass[i] = x[i].w;
      seen.vx[i] = v[i].x, seen.vy[i] = v[i].y, seen.vz[i] = v[i].z;
    }
    has_seen = true;
  }

  void download_forces() {
    have_forces();
    if (has_felt) return;
    const std::vector<vec4> a = acceleration.download();
    for (std::vector<T>* each : {&felt.ax, &felt.ay, &felt.az, &felt.potential}) each->resize(n);
    for (std::uint64_t i = 0; i < n; ++i)
      felt.ax[i] = a[i].x, felt.ay[i] = a[i].y, felt.az[i] = a[i].z, felt.potential[i] = a[i].w;
    has_felt = true;
  }
};

template <class T>
simulation<T>::simulation(const context& where, const bodies<T>& start, const nbody::parameters& p,
                          nbody::integrator how, double dt, double adaptive) {
  impl::require_method(p, how);
  impl::require_step(dt, adaptive);
  require_bodies(start, p);
  implementation_ = std::make_unique<implementation>(where, p, how, start.size(), dt, adaptive);
  implementation_->send(start);
}

template <class T>
simulation<T>::simulation(const context& where, const device_bodies<const T>& start, const nbody::parameters& p,
                          nbody::integrator how, double dt, double adaptive) {
  impl::require_method(p, how);
  impl::require_step(dt, adaptive);
  implementation::require_sizes(start, start.size(), false);
  implementation_ = std::make_unique<implementation>(where, p, how, start.size(), dt, adaptive);
  implementation_->take(start);
}

template <class T>
simulation<T>::simulation(std::unique_ptr<implementation> i) : implementation_(std::move(i)) {}
template <class T>
simulation<T>::simulation(simulation&&) noexcept = default;
template <class T>
simulation<T>& simulation<T>::operator=(simulation&&) noexcept = default;
template <class T>
simulation<T>::~simulation() = default;

template <class T>
void simulation<T>::step(std::uint64_t steps) {
  constexpr std::uint64_t most_enqueued = 1000;
  for (std::uint64_t k = 1; k <= steps; ++k) {
    implementation_->step();
    if (k % most_enqueued == 0 && implementation_->where.device().capture() == 0) implementation_->where.synchronize();
  }
}

template <class T>
std::size_t simulation<T>::size() const {
  return implementation_->n;
}
template <class T>
double simulation<T>::time() const {
  return implementation_->time;
}
template <class T>
std::uint64_t simulation<T>::steps() const {
  return implementation_->steps;
}
template <class T>
double simulation<T>::dt() const {
  return implementation_->dt;
}
template <class T>
const nbody::parameters& simulation<T>::parameters() const {
  return implementation_->rules;
}
template <class T>
nbody::integrator simulation<T>::integrator() const {
  return implementation_->how;
}
template <class T>
const context& simulation<T>::execution_context() const {
  return implementation_->where;
}

template <class T>
const bodies<T>& simulation<T>::state() {
  implementation_->download_state();
  return implementation_->seen;
}

template <class T>
const typename simulation<T>::field& simulation<T>::forces() {
  implementation_->download_forces();
  return implementation_->felt;
}

template <class T>
invariants simulation<T>::measure() {
  const bodies<T>& now = state();
  return impl::invariants_of(now, forces().potential);
}

template <class T>
typename simulation<T>::rows simulation<T>::state_on_device() const {
  const implementation& s = *implementation_;
  return {s.position.span(), s.velocity.span()};
}

template <class T>
device_span<const vec4<T>> simulation<T>::forces_on_device() {
  implementation_->have_forces();
  return implementation_->acceleration.span();
}

template <class T>
void simulation<T>::copy_state(const device_bodies<T>& to) const {
  implementation& s = *implementation_;
  implementation::require_sizes(to, s.n, true);
  const auto piece = [](const char* name, device_span<T> x) {
    return core::piece_of_memory(name, core::operand<T>(x));
  };
  core::require_no_overlap("simulation", s.where,
                           {piece("x", to.x), piece("y", to.y), piece("z", to.z), piece("vx", to.vx),
                            piece("vy", to.vy), piece("vz", to.vz), piece("the masses", to.mass)});
  impl::deinterleave(s.device(), dtype_of<T>, s.n, s.position.span().where(), implementation::places(to));
  impl::deinterleave(s.device(), dtype_of<T>, s.n, s.velocity.span().where(), implementation::speeds(to));
}

template <class T>
void simulation<T>::set_state(const device_bodies<const T>& from) {
  implementation::require_sizes(from, implementation_->n, true);
  implementation_->take(from);
}

template <class T>
void simulation<T>::set_state(const bodies<T>& from) {
  core::require_same_size("simulation", "there are # bodies and # of an array", implementation_->n, from.size(),
                          "give as many of each");
  require_bodies(from, implementation_->rules);
  implementation_->send(from);
}

template <class T>
void simulation<T>::set(const nbody::parameters& p) {
  impl::require_method(p, implementation_->how);
  require_bodies(state(), p);
  implementation_->rules = p;
  implementation_->forces_at_hand = implementation_->has_felt = false;
}

template <class T>
void simulation<T>::set_dt(double dt, double adaptive) {
  impl::require_step(dt, adaptive);
  implementation_->dt = implementation_->longest = dt;
  implementation_->adaptive = adaptive;
}

template <class T>
std::vector<std::byte> simulation<T>::checkpoint() const {
  const implementation& s = *implementation_;
  impl::kept<T> all{s.run()};
  all.position = s.position.download(), all.velocity = s.velocity.download();
  if (s.forces_at_hand) all.acceleration = s.acceleration.download(), all.jerk = s.jerk.download();
  return impl::packed(all);
}

template <class T>
simulation<T> simulation<T>::resume(const context& where, std::span<const std::byte> bytes) {
  const impl::kept<T> all = impl::unpacked<T>(bytes);
  auto s = std::make_unique<implementation>(where, all.rules, all.how, all.n, all.longest, all.adaptive);
  s->run() = all;
  s->position.upload(all.position), s->velocity.upload(all.velocity);
  if (all.forces_at_hand) s->acceleration.upload(all.acceleration), s->jerk.upload(all.jerk);
  return simulation(std::move(s));
}

template class simulation<float>;
template class simulation<double>;

}  // namespace upsweep::nbody
