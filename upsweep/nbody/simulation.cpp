#include "upsweep/nbody.hpp"
#include "upsweep/nbody/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "upsweep/buffer.hpp"
#include "upsweep/nbody/motion.hpp"
#include "upsweep/nbody/motion_steps.hpp"

namespace upsweep::nbody {

namespace room = nbody_room;

template <class T>
struct simulation<T>::inside {
  using four = room::four<T>;

  context where;
  physics rules;
  integrator how;
  std::uint64_t n = 0;
  double dt = 0, longest = 0, adaptive = 0, time = 0;
  std::uint64_t steps = 0;
  bool forces_at_hand = false;

  // In the device's memory. Hermite keeps jerks, and predicts into memory of its own.
  buffer<four> position, velocity, acceleration, jerk, next_position, next_velocity, next_acceleration, next_jerk;

  // On the host, where it was asked for.
  bodies<T> seen;
  field felt;
  bool has_seen = false, has_felt = false;

  inside(const context& c, const physics& p, integrator i, std::uint64_t count, double step, double eta)
      : where(c),
        rules(p),
        how(i),
        n(count),
        dt(step),
        longest(step),
        adaptive(eta),
        position(c, count),
        velocity(c, count),
        acceleration(c, count),
        jerk(c, hermite() ? count : 0),
        next_position(c, hermite() ? count : 0),
        next_velocity(c, hermite() ? count : 0),
        next_acceleration(c, hermite() ? count : 0),
        next_jerk(c, hermite() ? count : 0) {
    if (n) dev().fill(velocity.span().where(), 0, n * sizeof(four));
  }

  bool hermite() const { return how == integrator::hermite; }
  device& dev() { return where.dev(); }

  room::moving now() {
    return {dtype_of<T>,        n, position.span().where(), velocity.span().where(), acceleration.span().where(),
            jerk.span().where()};
  }
  room::moving next() {
    return {dtype_of<T>,
            n,
            next_position.span().where(),
            next_velocity.span().where(),
            next_acceleration.span().where(),
            next_jerk.span().where()};
  }

  void find_forces(const room::moving& at) {
    nbody_room::problem p = room::problem_of(where, rules, dtype_of<T>, n);
    p.in = at.position, p.out = at.acceleration;
    if (hermite()) p.gravity.jerks = true, p.in2 = at.velocity, p.out2 = at.jerk;
    nbody_room::run(where, p);
  }

  void have_forces() {
    if (forces_at_hand) return;
    find_forces(now());
    forces_at_hand = true;
    has_felt = false;
  }

  void choose_step() {
    if (adaptive <= 0) return;
    dt = std::min(longest, adaptive * room::shortest_time(dev(), now(), rules.softening, hermite()));
  }

  void step() {
    if (how != integrator::euler || adaptive > 0) have_forces();
    choose_step();
    switch (how) {
      case integrator::euler:
        have_forces();
        room::kick_and_drift(dev(), now(), dt, dt);
        forces_at_hand = false;
        break;
      case integrator::leapfrog:
        room::kick_and_drift(dev(), now(), dt / 2, dt);
        find_forces(now());
        room::kick_and_drift(dev(), now(), dt / 2, 0);
        break;
      case integrator::hermite:
        room::predict(dev(), now(), next(), dt);
        find_forces(next());
        room::correct(dev(), now(), next(), dt);
        break;
    }
    time += dt;
    ++steps;
    has_seen = has_felt = false;
  }

  void send(const bodies<T>& from) {
    std::vector<four> x(n), v(n);
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
  static room::columns places(const device_bodies<const T>& b) {
    return {b.x.where(), b.y.where(), b.z.where(), b.mass.where()};
  }
  static room::columns speeds(const device_bodies<const T>& b) {
    return {b.vx.where(), b.vy.where(), b.vz.where(), memory{}};
  }

  // What the CPU can read, and in checked calls the rest, is looked at, with what stays as it is.
  void require_sound(const device_bodies<const T>& from) {
    if (where.kind() != backend::cpu && !core::is_checked(where)) return;
    bodies<T> all;
    all.resize(n);
    const auto look = [&](std::vector<T>& to, device_span<const T> given, std::vector<T> bodies<T>::* kept) {
      if (given.size()) return download(where, given, std::span(to));
      see();
      to = seen.*kept;
    };
    look(all.x, from.x, &bodies<T>::x), look(all.y, from.y, &bodies<T>::y), look(all.z, from.z, &bodies<T>::z);
    look(all.vx, from.vx, &bodies<T>::vx), look(all.vy, from.vy, &bodies<T>::vy);
    look(all.vz, from.vz, &bodies<T>::vz), look(all.mass, from.mass, &bodies<T>::mass);
    require_bodies(all, rules);
  }

  void take(const device_bodies<const T>& from) {
    require_sound(from);
    room::interleave(dev(), dtype_of<T>, n, places(from), position.span().where());
    room::interleave(dev(), dtype_of<T>, n, speeds(from), velocity.span().where());
    moved();
  }

  // The bodies are no longer where the forces at hand were found.
  void moved() { forces_at_hand = has_seen = has_felt = false; }

  void see() {
    if (has_seen) return;
    seen.resize(n);
    const std::vector<four> x = position.download(), v = velocity.download();
    for (std::uint64_t i = 0; i < n; ++i) {
      seen.x[i] = x[i].x, seen.y[i] = x[i].y, seen.z[i] = x[i].z, seen.mass[i] = x[i].w;
      seen.vx[i] = v[i].x, seen.vy[i] = v[i].y, seen.vz[i] = v[i].z;
    }
    has_seen = true;
  }

  void feel() {
    have_forces();
    if (has_felt) return;
    const std::vector<four> a = acceleration.download();
    for (std::vector<T>* each : {&felt.ax, &felt.ay, &felt.az, &felt.potential}) each->resize(n);
    for (std::uint64_t i = 0; i < n; ++i)
      felt.ax[i] = a[i].x, felt.ay[i] = a[i].y, felt.az[i] = a[i].z, felt.potential[i] = a[i].w;
    has_felt = true;
  }
};

namespace {

void require_step(double dt, double adaptive) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw error(fault::bad_argument, "simulation", "a step of " + std::to_string(dt) + " is not above 0",
                "give the time from one step to the next");
  if (!(adaptive >= 0) || !std::isfinite(adaptive))
    throw error(fault::bad_argument, "simulation",
                "an adaptive factor of " + std::to_string(adaptive) + " is no number from 0 up",
                "give some 0.01 to 0.1, or 0 for steps of one length");
}

void require_method(const physics& p, integrator how) {
  room::require_physics(p);
  if (how == integrator::hermite && p.how == method::barnes_hut)
    throw error(fault::unsupported, "simulation", "hermite needs jerks, which the tree has not",
                "use leapfrog, or all pairs");
}

}  // namespace

template <class T>
simulation<T>::simulation(const context& where, const bodies<T>& start, const physics& p, integrator how, double dt,
                          double adaptive) {
  require_method(p, how);
  require_step(dt, adaptive);
  require_bodies(start, p);
  inside_ = std::make_unique<inside>(where, p, how, start.size(), dt, adaptive);
  inside_->send(start);
}

template <class T>
simulation<T>::simulation(const context& where, const device_bodies<const T>& start, const physics& p, integrator how,
                          double dt, double adaptive) {
  require_method(p, how);
  require_step(dt, adaptive);
  inside::require_sizes(start, start.size(), false);
  inside_ = std::make_unique<inside>(where, p, how, start.size(), dt, adaptive);
  inside_->take(start);
}

template <class T>
simulation<T>::simulation(std::unique_ptr<inside> i) : inside_(std::move(i)) {}
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
    inside_->step();
    if (k % most_enqueued == 0) inside_->where.synchronize();
  }
}

template <class T>
std::size_t simulation<T>::size() const {
  return inside_->n;
}
template <class T>
double simulation<T>::time() const {
  return inside_->time;
}
template <class T>
std::uint64_t simulation<T>::steps() const {
  return inside_->steps;
}
template <class T>
double simulation<T>::dt() const {
  return inside_->dt;
}
template <class T>
const physics& simulation<T>::rules() const {
  return inside_->rules;
}
template <class T>
integrator simulation<T>::how() const {
  return inside_->how;
}
template <class T>
const context& simulation<T>::where() const {
  return inside_->where;
}

template <class T>
const bodies<T>& simulation<T>::state() {
  inside_->see();
  return inside_->seen;
}

template <class T>
const typename simulation<T>::field& simulation<T>::forces() {
  inside_->feel();
  return inside_->felt;
}

template <class T>
conserved simulation<T>::measure() {
  const bodies<T>& b = state();
  const field& f = forces();
  conserved c;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double m = b.mass[i], x = b.x[i], y = b.y[i], z = b.z[i], vx = b.vx[i], vy = b.vy[i], vz = b.vz[i];
    c.kinetic += m * (vx * vx + vy * vy + vz * vz) / 2;
    c.potential += m * static_cast<double>(f.potential[i]) / 2;  // each pair is in two bodies' potentials
    c.momentum[0] += m * vx, c.momentum[1] += m * vy, c.momentum[2] += m * vz;
    c.angular[0] += m * (y * vz - z * vy), c.angular[1] += m * (z * vx - x * vz), c.angular[2] += m * (x * vy - y * vx);
  }
  return c;
}

template <class T>
typename simulation<T>::rows simulation<T>::state_on_device() const {
  const inside& s = *inside_;
  return {s.position.span(), s.velocity.span()};
}

template <class T>
device_span<const four<T>> simulation<T>::forces_on_device() {
  inside_->have_forces();
  return inside_->acceleration.span();
}

template <class T>
void simulation<T>::copy_state(const device_bodies<T>& to) const {
  inside& s = *inside_;
  inside::require_sizes(to, s.n, true);
  const auto piece = [](const char* name, device_span<T> x) {
    return core::piece_of_memory(name, core::operand<T>(x));
  };
  core::require_apart("simulation", s.where,
                      {piece("x", to.x), piece("y", to.y), piece("z", to.z), piece("vx", to.vx), piece("vy", to.vy),
                       piece("vz", to.vz), piece("the masses", to.mass)});
  room::deinterleave(s.dev(), dtype_of<T>, s.n, s.position.span().where(), inside::places(to));
  room::deinterleave(s.dev(), dtype_of<T>, s.n, s.velocity.span().where(), inside::speeds(to));
}

template <class T>
void simulation<T>::set_state(const device_bodies<const T>& from) {
  inside::require_sizes(from, inside_->n, true);
  inside_->take(from);
}

template <class T>
void simulation<T>::set_state(const bodies<T>& from) {
  core::require_same_size("simulation", "there are # bodies and # of an array", inside_->n, from.size(),
                          "give as many of each");
  require_bodies(from, inside_->rules);
  inside_->send(from);
}

template <class T>
void simulation<T>::set(const physics& p) {
  require_method(p, inside_->how);
  require_bodies(state(), p);
  inside_->rules = p;
  inside_->forces_at_hand = inside_->has_felt = false;
}

template <class T>
void simulation<T>::set_dt(double dt, double adaptive) {
  require_step(dt, adaptive);
  inside_->dt = inside_->longest = dt;
  inside_->adaptive = adaptive;
}

// --- checkpoints: a head, then the arrays, then a sum over all of it

namespace {

struct checkpoint_head {
  char name[16] = "upsweep nbody";
  std::uint32_t version = 1, element_bytes = 0;
  std::uint64_t n = 0, steps = 0;
  double dt = 0, longest = 0, adaptive = 0, time = 0;
  double gravity = 0, softening = 0, theta = 0, criterion = 0;
  std::uint8_t quadrupoles = 0, compensated = 0, method = 0, dimensions = 0, integrator = 0, forces_at_hand = 0,
               unused[2] = {};
};
static_assert(sizeof(checkpoint_head) == 16 + 8 + 16 + 64 + 8);

// FNV-1a, eight bytes at a time.
std::uint64_t sum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 14695981039346656037ull;
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min<std::size_t>(bytes.size(), 8);
    std::memcpy(&word, bytes.data(), count);
    sum = (sum ^ word) * 1099511628211ull;
    sum ^= sum >> 29;
    bytes = bytes.subspan(count);
  }
  return sum;
}

[[noreturn]] void no_checkpoint(const std::string& why, const std::string& remedy) {
  throw error(fault::bad_argument, "simulation::resume", why, remedy);
}

}  // namespace

template <class T>
std::vector<std::byte> simulation<T>::checkpoint() const {
  const inside& s = *inside_;
  checkpoint_head head;
  head.element_bytes = sizeof(T), head.n = s.n, head.steps = s.steps;
  head.dt = s.dt, head.longest = s.longest, head.adaptive = s.adaptive, head.time = s.time;
  head.gravity = s.rules.gravity, head.softening = s.rules.softening, head.theta = s.rules.theta,
  head.criterion = s.rules.criterion;
  head.quadrupoles = s.rules.quadrupoles, head.compensated = s.rules.compensated;
  head.method = static_cast<std::uint8_t>(s.rules.how), head.dimensions = static_cast<std::uint8_t>(s.rules.dimensions);
  head.integrator = static_cast<std::uint8_t>(s.how), head.forces_at_hand = s.forces_at_hand;
  std::vector<std::byte> all(sizeof head);
  std::memcpy(all.data(), &head, sizeof head);
  for (const buffer<room::four<T>>* each : {&s.position, &s.velocity, &s.acceleration, &s.jerk}) {
    if (each == &s.acceleration && !s.forces_at_hand) break;
    const std::vector<room::four<T>> part = each->download();
    const auto* bytes = reinterpret_cast<const std::byte*>(part.data());
    all.insert(all.end(), bytes, bytes + part.size() * sizeof(room::four<T>));
  }
  const std::uint64_t sum = sum_of(all);
  const auto* bytes = reinterpret_cast<const std::byte*>(&sum);
  all.insert(all.end(), bytes, bytes + sizeof sum);
  return all;
}

template <class T>
simulation<T> simulation<T>::resume(const context& where, std::span<const std::byte> bytes) {
  checkpoint_head head;
  const checkpoint_head expected;
  if (bytes.size() < sizeof head + sizeof(std::uint64_t))
    no_checkpoint("a checkpoint is longer than " + std::to_string(bytes.size()) + " bytes: it was cut short",
                  "take an older one");
  std::memcpy(&head, bytes.data(), sizeof head);
  if (std::memcmp(head.name, expected.name, sizeof head.name) != 0)
    no_checkpoint("this is no checkpoint of bodies", "give a file that a simulation has written");
  if (head.version != expected.version)
    no_checkpoint(
        "the checkpoint is of version " + std::to_string(head.version) + ", not " + std::to_string(expected.version),
        "resume it with the version that wrote it");
  if (head.element_bytes != sizeof(T))
    no_checkpoint(
        "the checkpoint is of f" + std::to_string(8 * head.element_bytes) + ", not f" + std::to_string(8 * sizeof(T)),
        "resume it in its own type");
  const bool hermite = head.integrator == static_cast<std::uint8_t>(integrator::hermite);
  const std::uint64_t arrays = 2 + (head.forces_at_hand ? 1 + hermite : 0), each = sizeof(room::four<T>);
  const std::uint64_t body = bytes.size() - sizeof head - sizeof(std::uint64_t);
  if (head.n > body / (arrays * each) || body != head.n * arrays * each)
    no_checkpoint("the checkpoint of " + std::to_string(head.n) + " bodies has " + std::to_string(bytes.size()) +
                      " bytes: it was cut short or changed",
                  "take an older one");
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
  if (sum != sum_of(bytes.first(bytes.size() - sizeof sum)) || head.integrator > 2 || head.method > 2)
    no_checkpoint("the checkpoint's sum is wrong: it was changed", "take an older one");

  physics p;
  p.gravity = head.gravity, p.softening = head.softening, p.theta = head.theta, p.criterion = head.criterion;
  p.quadrupoles = head.quadrupoles, p.compensated = head.compensated;
  p.how = static_cast<method>(head.method), p.dimensions = head.dimensions;
  auto s =
      std::make_unique<inside>(where, p, static_cast<integrator>(head.integrator), head.n, head.longest, head.adaptive);
  s->dt = head.dt, s->time = head.time, s->steps = head.steps, s->forces_at_hand = head.forces_at_hand;
  std::span<const std::byte> rest = bytes.subspan(sizeof head);
  std::vector<room::four<T>> part(head.n);
  for (buffer<room::four<T>>* to : {&s->position, &s->velocity, &s->acceleration, &s->jerk}) {
    if ((to == &s->acceleration && !head.forces_at_hand) || to->size() == 0) break;
    std::memcpy(part.data(), rest.data(), head.n * each);
    rest = rest.subspan(head.n * each);
    to->upload(part);
  }
  return simulation(std::move(s));
}

template class simulation<float>;
template class simulation<double>;

}  // namespace upsweep::nbody
