// The walk through what a communicator does with bodies: accelerations and motion, against one device.
#include <cmath>

#include "upsweep/communicator.hpp"
#include "upsweep/communicator/communicator_domains.hpp"
#include "upsweep/communicator/conformance/communicator_cases.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::communicator_conformance {

namespace {

using sizes = std::vector<std::uint64_t>;

// Parts of n bodies in all: even ones; all with the last, and with the first; one body each, the rest with the last.
std::vector<sizes> parts_of(std::uint64_t n, int ranks) {
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<sizes> all(4, sizes(p));
  const auto even = core::even_offsets(n, ranks);
  for (std::size_t r = 0; r < p; ++r) all[0][r] = even[r + 1] - even[r];
  all[1][p - 1] = all[2][0] = n;
  std::uint64_t left = n;
  for (std::size_t r = 0; r + 1 < p; ++r) all[3][r] = left > 0, left -= all[3][r];
  all[3][p - 1] = left;
  return all;
}

// Some in a clump, some far out; every 50th without mass.
template <class T>
nbody::bodies<T> some_bodies(std::uint64_t n) {
  nbody::bodies<T> b;
  b.resize(n);
  const auto number = [](std::uint64_t i) { return static_cast<double>(mixed(i) >> 11) * 0x1p-52 - 1; };
  for (std::uint64_t i = 0; i < n; ++i) {
    const double wide = i % 7 == 0 ? 10 : 1;
    b.x[i] = static_cast<T>(wide * number(6 * i)), b.y[i] = static_cast<T>(wide * number(6 * i + 1));
    b.z[i] = static_cast<T>(wide * number(6 * i + 2)), b.vx[i] = static_cast<T>(number(6 * i + 3));
    b.vy[i] = static_cast<T>(number(6 * i + 4)), b.vz[i] = static_cast<T>(number(6 * i + 5));
    b.mass[i] = static_cast<T>(i % 50 == 49 ? 0 : 1.0 / static_cast<double>(n));
  }
  return b;
}

template <class T>
distributed<T> in_parts(const communicator& g, const std::vector<T>& whole, const sizes& s) {
  std::vector<std::span<const T>> mine;
  const auto offsets = core::offsets_of_parts(s);
  for (int i = 0; i < g.local_size(); ++i) {
    const auto r = static_cast<std::size_t>(g.first() + i);
    mine.push_back(std::span<const T>(whole).subspan(offsets[r], s[r]));
  }
  return distributed<T>::from_blocks(g, mine);
}

template <class T>
void close_to(comparison& j, const char* what, const std::vector<T>& got, const std::vector<T>& want, double allowed) {
  std::vector<T> same = want;
  for (std::size_t i = 0; i < want.size() && i < got.size(); ++i)
    if (std::abs(got[i] - want[i]) <= allowed) same[i] = got[i];  // NaN is not
  j.same(what, got, same);
}

template <class T>
void force_case(comparison& j, const communicator& g, const context& one, const char* what, const nbody::bodies<T>& b,
                const nbody::parameters& rules, const sizes& s, bool bits) {
  const std::size_t n = b.size();
  const std::vector<T> poison(n, std::numeric_limits<T>::quiet_NaN());
  std::vector<T> want[4] = {poison, poison, poison, poison};
  nbody::accelerations<T>(one, rules, b.x, b.y, b.z, b.mass, want[0], want[1], want[2], want[3]);
  double largest[2] = {};
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k) largest[k == 3] = std::max<double>(largest[k == 3], std::abs(want[k][i]));
  const auto x = in_parts(g, b.x, s), y = in_parts(g, b.y, s), z = in_parts(g, b.z, s), mass = in_parts(g, b.mass, s);
  for (const bool potentials : {true, false}) {
    if (!potentials && n > 100) continue;
    std::vector<distributed<T>> out;
    for (int k = 0; k < 4; ++k) out.push_back(in_parts(g, poison, s));
    if (potentials)
      nbody::accelerations(g, rules, x, y, z, mass, out[0], out[1], out[2], out[3]);
    else
      nbody::accelerations(g, rules, x, y, z, mass, out[0], out[1], out[2]);
    for (int k = 0; k < 3 + potentials; ++k) {
      const std::vector<T> got = out[static_cast<std::size_t>(k)].gather();
      if (bits)
        j.same(what, got, want[k]);
      else
        close_to(j, what, got, want[k], largest[k == 3] * (sizeof(T) == 4 ? 1e-4 : 1e-10));
    }
  }
}

template <class T>
void force_cases(comparison& j, const communicator& g, const context& one, std::uint64_t most, bool bits) {
  std::uint64_t turn = 0;
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{65}, most}) {
    const auto b = some_bodies<T>(n);
    const auto routes = parts_of(n, g.size());
    for (std::size_t route = turn % 2; route < routes.size(); route += n < 4 ? 1 : 2) {
      const sizes& s = routes[route];
      ++turn;
      const double softening = turn % 2 ? 0.01 : 0;
      j.at(std::to_string(g.size()) + " ranks, " + std::to_string(n) + " bodies of f" + std::to_string(8 * sizeof(T)) +
           ", way " + std::to_string(turn));
      nbody::parameters rules{.gravity = 1.5, .softening = softening, .method = nbody::method::all_pairs};
      force_case(j, g, one, "all pairs", b, rules, s, bits);
      rules.compensated = turn % 3 == 0;
      if (rules.compensated) force_case(j, g, one, "all pairs, compensated", b, rules, s, bits);
      rules.compensated = false;
      rules.method = nbody::method::automatic;
      force_case(j, g, one, "as is faster", b, rules, s, bits);
      rules.method = nbody::method::barnes_hut, rules.quadrupoles = turn % 4 != 0;
      force_case(j, g, one, "the tree", b, rules, s, true);
      rules.decomposition = turn % 3 ? nbody::domain_decomposition::domains : nbody::domain_decomposition::whole;
      if (n < most || turn % 2) force_case(j, g, one, "the tree, parted as is said", b, rules, s, true);
      rules.criterion = 1e-3;
      if (turn % 2) force_case(j, g, one, "the tree by a relative error", b, rules, s, true);
    }
  }
}

// Scenes of which the tree's cells or the walks' boxes are special.
template <class T>
nbody::bodies<T> special_bodies(std::uint64_t n, int which) {
  nbody::bodies<T> b = some_bodies<T>(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    if (which == 1) b.x[i] = b.y[i] = b.z[i] = 3;                                        // one key
    if (which == 2 && i % 3) b.x[i] = T(0.25), b.y[i] = b.z[i] = static_cast<T>(i % 2);  // two points have most
    if (which == 3) b.x[i] += T(1e5), b.y[i] -= T(3e6);                         // far from 0: differences round
    if (which == 4) b.y[i] = b.z[i] = 0;                                        // a line
    if (which == 5 && i == n / 2) b.x[i] = std::numeric_limits<T>::infinity();  // one has flown away
  }
  return b;
}

// The tree by domains, whatever the numbers of bodies and ranks: small ones cross every boundary.
template <class T>
void domain_cases(comparison& j, const communicator& g, const context& one, std::uint64_t most) {
  using vec4 = detail::nbody_impl::vec4<T>;
  std::uint64_t turn = 0;
  for (const std::uint64_t n :
       {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{65}, std::uint64_t{131}, std::uint64_t{900}, most})
    for (int scene = 0; scene < 6 && n <= most; ++scene) {
      const auto b = special_bodies<T>(n, scene);
      const auto routes = parts_of(n, g.size());
      const sizes& s = routes[++turn % routes.size()];
      nbody::parameters rules{.gravity = 1.5, .softening = 0.01, .method = nbody::method::barnes_hut};
      rules.theta = turn % 5 == 0 ? 0.2 : 0.6, rules.quadrupoles = turn % 4 != 0;
      rules.criterion = turn % 3 == 0 ? 1e-3 : 0;
      j.at(std::to_string(g.size()) + " ranks, " + std::to_string(n) + " bodies of f" + std::to_string(8 * sizeof(T)) +
           ", scene " + std::to_string(scene) + ", domains, way " + std::to_string(turn));
      constexpr T none = std::numeric_limits<T>::quiet_NaN();
      std::vector<vec4> rows(n);
      const std::vector<vec4> poison(n, {none, none, none, none});
      for (std::uint64_t i = 0; i < n; ++i) rows[i] = {b.x[i], b.y[i], b.z[i], b.mass[i]};
      const auto alone = communicator::of({one});
      const auto x1 = distributed<vec4>::of(alone, rows);
      auto want = distributed<vec4>::of(alone, poison);
      detail::nbody_impl::problem p = detail::nbody_impl::problem_of(one, rules, dtype_of<T>, n);
      p.gravity.potentials = turn % 2;
      p.in = x1.part(0).where(), p.out = want.part(0).where();
      detail::nbody_impl::run(one, p);
      const auto x = in_parts(g, rows, s);
      auto out = in_parts(g, poison, s);
      g.for_each_rank("domains", [&](communicator_rank& m) {
        core::pull_by_domains<T>(m, p.gravity, x.offsets(), x.part(m.local_rank()), out.part(m.local_rank()));
      });
      j.same("the tree by domains", out.gather(), want.gather());
    }
}

template <class T>
void same_state(comparison& j, const char* what, nbody::distributed_simulation<T>& all, nbody::simulation<T>& one) {
  const nbody::bodies<T>&a = all.state(), &b = one.state();
  j.same(what, a.x, b.x), j.same(what, a.y, b.y), j.same(what, a.z, b.z);
  j.same(what, a.vx, b.vx), j.same(what, a.vy, b.vy), j.same(what, a.vz, b.vz), j.same(what, a.mass, b.mass);
  j.equal(what, all.time(), one.time()), j.equal(what, all.steps(), one.steps());
  j.same(what, all.forces().ax, one.forces().ax), j.same(what, all.forces().potential, one.forces().potential);
  j.equal(what, all.measure().energy(), one.measure().energy());
  j.same(what, all.checkpoint(), one.checkpoint());
}

template <class T>
void motion_cases(comparison& j, const communicator& g, const context& one, std::uint64_t most) {
  using nbody::integrator;
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, most})
    for (const integrator how : {integrator::euler, integrator::leapfrog, integrator::hermite})
      for (const double adaptive : {0.0, 0.02}) {
        nbody::parameters rules{.softening = 0.02, .method = nbody::method::all_pairs};
        if (how != integrator::hermite && n > 100) rules.method = nbody::method::barnes_hut;
        if (adaptive > 0) rules.decomposition = nbody::domain_decomposition::domains;
        j.at(std::to_string(g.size()) + " ranks, " + std::to_string(n) + " bodies in motion, integrator " +
             std::to_string(static_cast<int>(how)));
        const auto start = some_bodies<T>(n);
        nbody::distributed_simulation<T> all(g, start, rules, how, 1e-2, adaptive);
        nbody::simulation<T> alone(one, start, rules, how, 1e-2, adaptive);
        all.step(2), alone.step(2);
        same_state(j, "after steps", all, alone);
        auto again = nbody::distributed_simulation<T>::resume(g, alone.checkpoint());
        again.step(1), alone.step(1);
        same_state(j, "after a step from one device's checkpoint", again, alone);
        auto there = nbody::simulation<T>::resume(one, all.checkpoint());
        there.step(1);
        same_state(j, "and the other way round", again, there);
        rules.gravity = 2;
        again.set(rules), there.set(rules);
        again.step(1), there.step(1);
        same_state(j, "with another gravity", again, there);
      }
}

}  // namespace

comparison walk_bodies(const communicator& g, std::uint64_t most, bool doubles, bool bits) {
  comparison j("bodies");
  const context& one = g.where(0);
  force_cases<float>(j, g, one, most, bits);
  if (doubles) force_cases<double>(j, g, one, most / 2, bits);
  if (bits) motion_cases<float>(j, g, one, most / 4);
  if (bits && doubles) motion_cases<double>(j, g, one, most / 4);
  return j;
}

comparison walk_domains(const communicator& g, std::uint64_t most, bool doubles) {
  comparison j("domains");
  domain_cases<float>(j, g, g.where(0), most);
  if (doubles) domain_cases<double>(j, g, g.where(0), most);
  return j;
}

}  // namespace upsweep::communicator_conformance
