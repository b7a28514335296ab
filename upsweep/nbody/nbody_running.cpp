#include "upsweep/nbody/nbody_running.hpp"

#include <cmath>
#include <cstring>
#include <string>

#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::detail::nbody_impl {

void require_step(double dt, double adaptive) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw error(fault::bad_argument, "simulation", "a step of " + std::to_string(dt) + " is not above 0",
                "give a positive time step");
  if (!(adaptive >= 0) || !std::isfinite(adaptive))
    throw error(fault::bad_argument, "simulation",
                "an adaptive factor of " + std::to_string(adaptive) + " is not a number from 0 up",
                "give 0.01 to 0.1, or 0 for constant steps");
}

void require_method(const nbody::parameters& p, nbody::integrator how) {
  require_parameters(p);
  if (how == nbody::integrator::hermite && p.method == nbody::method::barnes_hut)
    throw error(fault::unsupported, "simulation", "hermite needs jerks, which the tree does not compute",
                "use leapfrog, or all pairs");
}

template <class T>
nbody::invariants invariants_of(const nbody::bodies<T>& b, const std::vector<T>& potential) {
  nbody::invariants c;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double m = b.mass[i], x = b.x[i], y = b.y[i], z = b.z[i], vx = b.vx[i], vy = b.vy[i], vz = b.vz[i];
    c.kinetic += m * (vx * vx + vy * vy + vz * vz) / 2;
    c.potential += m * static_cast<double>(potential[i]) / 2;  // each pair is in two bodies' potentials
    c.momentum[0] += m * vx, c.momentum[1] += m * vy, c.momentum[2] += m * vz;
    c.angular[0] += m * (y * vz - z * vy), c.angular[1] += m * (z * vx - x * vz), c.angular[2] += m * (x * vy - y * vx);
  }
  return c;
}

template nbody::invariants invariants_of(const nbody::bodies<float>&, const std::vector<float>&);
template nbody::invariants invariants_of(const nbody::bodies<double>&, const std::vector<double>&);

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
std::vector<std::byte> packed(const kept<T>& s) {
  checkpoint_head head;
  head.element_bytes = sizeof(T), head.n = s.n, head.steps = s.steps;
  head.dt = s.dt, head.longest = s.longest, head.adaptive = s.adaptive, head.time = s.time;
  head.gravity = s.rules.gravity, head.softening = s.rules.softening, head.theta = s.rules.theta,
  head.criterion = s.rules.criterion;
  head.quadrupoles = s.rules.quadrupoles, head.compensated = s.rules.compensated;
  head.method = static_cast<std::uint8_t>(s.rules.method),
  head.dimensions = static_cast<std::uint8_t>(s.rules.dimensions);
  head.integrator = static_cast<std::uint8_t>(s.how), head.forces_at_hand = s.forces_at_hand;
  std::vector<std::byte> all(sizeof head);
  std::memcpy(all.data(), &head, sizeof head);
  for (const std::vector<vec4<T>>* each : {&s.position, &s.velocity, &s.acceleration, &s.jerk}) {
    const auto* bytes = reinterpret_cast<const std::byte*>(each->data());
    all.insert(all.end(), bytes, bytes + each->size() * sizeof(vec4<T>));
  }
  const std::uint64_t sum = sum_of(all);
  const auto* bytes = reinterpret_cast<const std::byte*>(&sum);
  all.insert(all.end(), bytes, bytes + sizeof sum);
  return all;
}

template <class T>
kept<T> unpacked(std::span<const std::byte> bytes) {
  checkpoint_head head;
  const checkpoint_head expected;
  if (bytes.size() < sizeof head + sizeof(std::uint64_t))
    no_checkpoint("a checkpoint is longer than " + std::to_string(bytes.size()) + " bytes: it was cut short",
                  "take an older one");
  std::memcpy(&head, bytes.data(), sizeof head);
  if (std::memcmp(head.name, expected.name, sizeof head.name) != 0)
    no_checkpoint("this is not a checkpoint of a simulation", "give a file that a simulation has written");
  if (head.version != expected.version)
    no_checkpoint(
        "the checkpoint is of version " + std::to_string(head.version) + ", not " + std::to_string(expected.version),
        "resume it with the version that wrote it");
  if (head.element_bytes != sizeof(T))
    no_checkpoint(
        "the checkpoint is of f" + std::to_string(8 * head.element_bytes) + ", not f" + std::to_string(8 * sizeof(T)),
        "resume it in its own type");
  const bool hermite = head.integrator == static_cast<std::uint8_t>(nbody::integrator::hermite);
  const std::uint64_t arrays = 2 + (head.forces_at_hand ? 1 + hermite : 0), each = sizeof(vec4<T>);
  const std::uint64_t body = bytes.size() - sizeof head - sizeof(std::uint64_t);
  if (head.n > body / (arrays * each) || body != head.n * arrays * each)
    no_checkpoint("the checkpoint of " + std::to_string(head.n) + " bodies has " + std::to_string(bytes.size()) +
                      " bytes: it was cut short or changed",
                  "take an older one");
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
  if (sum != sum_of(bytes.first(bytes.size() - sizeof sum)) || head.integrator > 2 || head.method > 2)
    no_checkpoint("the checkpoint's checksum is wrong: it was changed", "take an older one");

  kept<T> s;
  nbody::parameters& p = s.rules;
  p.gravity = head.gravity, p.softening = head.softening, p.theta = head.theta, p.criterion = head.criterion;
  p.quadrupoles = head.quadrupoles, p.compensated = head.compensated;
  p.method = static_cast<nbody::method>(head.method), p.dimensions = head.dimensions;
  s.how = static_cast<nbody::integrator>(head.integrator), s.n = head.n, s.steps = head.steps;
  s.dt = head.dt, s.longest = head.longest, s.adaptive = head.adaptive, s.time = head.time;
  s.forces_at_hand = head.forces_at_hand;
  std::span<const std::byte> rest = bytes.subspan(sizeof head);
  const auto take = [&](std::vector<vec4<T>>& to) {
    to.resize(head.n);
    if (head.n) std::memcpy(to.data(), rest.data(), head.n * each);
    rest = rest.subspan(head.n * each);
  };
  take(s.position), take(s.velocity);
  if (s.forces_at_hand) take(s.acceleration);
  if (s.forces_at_hand && hermite) take(s.jerk);
  return s;
}

template std::vector<std::byte> packed(const kept<float>&);
template std::vector<std::byte> packed(const kept<double>&);
template kept<float> unpacked(std::span<const std::byte>);
template kept<double> unpacked(std::span<const std::byte>);

}  // namespace upsweep::detail::nbody_impl
