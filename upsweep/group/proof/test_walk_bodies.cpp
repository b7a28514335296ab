// The walk through what a group does with bodies: accelerations and motion, against one device.
#include <cmath>

#include "upsweep/group.hpp"
#include "upsweep/group/domains.hpp"
#include "upsweep/group/proof/cases.hpp"
#include "upsweep/nbody/problem.hpp"

namespace upsweep::group_proof {

namespace {

using sizes = std::vector<std::uint64_t>;

// Parts of n bodies in all: even ones; all with the last, and with the first; one body each, the rest with the last.
std::vector<sizes> parts_of(std::uint64_t n, int members) {
  const auto p = static_cast<std::size_t>(members);
  std::vector<sizes> all(4, sizes(p));
  const auto even = core::even_offsets(n, members);
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
distributed<T> in_parts(const group& g, const std::vector<T>& whole, const sizes& s) {
  std::vector<std::span<const T>> mine;
  const auto offsets = core::offsets_of_parts(s);
  for (int i = 0; i < g.here(); ++i) {
    const auto r = static_cast<std::size_t>(g.first() + i);
    mine.push_back(std::span<const T>(whole).subspan(offsets[r], s[r]));
  }
  return distributed<T>::of_parts(g, mine);
}

template <class T>
void close_to(judge& j, const char* what, const std::vector<T>& got, const std::vector<T>& want, double allowed) {
  std::vector<T> same = want;
  for (std::size_t i = 0; i < want.size() && i < got.size(); ++i)
    if (std::abs(got[i] - want[i]) <= allowed) same[i] = got[i];  // NaN is not
  j.same(what, got, same);
}

template <class T>
void force_case(judge& j, const group& g, const context& one, const char* what, const nbody::bodies<T>& b,
                const nbody::physics& rules, const sizes& s, bool bits) {
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
      const std::vector<T> got = out[static_cast<std::size_t>(k)].whole();
      if (bits)
        j.same(what, got, want[k]);
      else
        close_to(j, what, got, want[k], largest[k == 3] * (sizeof(T) == 4 ? 1e-4 : 1e-10));
    }
  }
}

template <class T>
void force_cases(judge& j, const group& g, const context& one, std::uint64_t most, bool bits) {
  std::uint64_t turn = 0;
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{65}, most}) {
    const auto b = some_bodies<T>(n);
    const auto ways = parts_of(n, g.size());
    for (std::size_t way = turn % 2; way < ways.size(); way += n < 4 ? 1 : 2) {
      const sizes& s = ways[way];
      ++turn;
      const double softening = turn % 2 ? 0.01 : 0;
      j.at(std::to_string(g.size()) + " members, " + std::to_string(n) + " bodies of f" +
           std::to_string(8 * sizeof(T)) + ", way " + std::to_string(turn));
      nbody::physics rules{.gravity = 1.5, .softening = softening, .how = nbody::method::all_pairs};
      force_case(j, g, one, "all pairs", b, rules, s, bits);
      rules.compensated = turn % 3 == 0;
      if (rules.compensated) force_case(j, g, one, "all pairs, compensated", b, rules, s, bits);
      rules.compensated = false;
      rules.how = nbody::method::automatic;
      force_case(j, g, one, "as is faster", b, rules, s, bits);
      rules.how = nbody::method::barnes_hut, rules.quadrupoles = turn % 4 != 0;
      force_case(j, g, one, "the tree", b, rules, s, true);
      rules.part = turn % 3 ? nbody::parting::domains : nbody::parting::whole;
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

// The tree by domains, whatever the numbers of bodies and members: small ones cross every boundary.
template <class T>
void domain_cases(judge& j, const group& g, const context& one, std::uint64_t most) {
  using four = nbody_room::four<T>;
  std::uint64_t turn = 0;
  for (const std::uint64_t n :
       {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{65}, std::uint64_t{131}, std::uint64_t{900}, most})
    for (int scene = 0; scene < 6 && n <= most; ++scene) {
      const auto b = special_bodies<T>(n, scene);
      const auto ways = parts_of(n, g.size());
      const sizes& s = ways[++turn % ways.size()];
      nbody::physics rules{.gravity = 1.5, .softening = 0.01, .how = nbody::method::barnes_hut};
      rules.theta = turn % 5 == 0 ? 0.2 : 0.6, rules.quadrupoles = turn % 4 != 0;
      rules.criterion = turn % 3 == 0 ? 1e-3 : 0;
      j.at(std::to_string(g.size()) + " members, " + std::to_string(n) + " bodies of f" +
           std::to_string(8 * sizeof(T)) + ", scene " + std::to_string(scene) + ", domains, way " +
           std::to_string(turn));
      constexpr T none = std::numeric_limits<T>::quiet_NaN();
      std::vector<four> rows(n);
      const std::vector<four> poison(n, {none, none, none, none});
      for (std::uint64_t i = 0; i < n; ++i) rows[i] = {b.x[i], b.y[i], b.z[i], b.mass[i]};
      const auto alone = group::of({one});
      const auto x1 = distributed<four>::of(alone, rows);
      auto want = distributed<four>::of(alone, poison);
      nbody_room::problem p = nbody_room::problem_of(one, rules, dtype_of<T>, n);
      p.gravity.potentials = turn % 2;
      p.in = x1.part(0).where(), p.out = want.part(0).where();
      nbody_room::run(one, p);
      const auto x = in_parts(g, rows, s);
      auto out = in_parts(g, poison, s);
      g.each("domains", [&](member& m) {
        core::pull_by_domains<T>(m, p.gravity, x.offsets(), x.part(m.here()), out.part(m.here()));
      });
      j.same("the tree by domains", out.whole(), want.whole());
    }
}

template <class T>
void same_state(judge& j, const char* what, nbody::group_simulation<T>& all, nbody::simulation<T>& one) {
  const nbody::bodies<T>&a = all.state(), &b = one.state();
  j.same(what, a.x, b.x), j.same(what, a.y, b.y), j.same(what, a.z, b.z);
  j.same(what, a.vx, b.vx), j.same(what, a.vy, b.vy), j.same(what, a.vz, b.vz), j.same(what, a.mass, b.mass);
  j.same_value(what, all.time(), one.time()), j.same_value(what, all.steps(), one.steps());
  j.same(what, all.forces().ax, one.forces().ax), j.same(what, all.forces().potential, one.forces().potential);
  j.same_value(what, all.measure().energy(), one.measure().energy());
  j.same(what, all.checkpoint(), one.checkpoint());
}

template <class T>
void motion_cases(judge& j, const group& g, const context& one, std::uint64_t most) {
  using nbody::integrator;
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, most})
    for (const integrator how : {integrator::euler, integrator::leapfrog, integrator::hermite})
      for (const double adaptive : {0.0, 0.02}) {
        nbody::physics rules{.softening = 0.02, .how = nbody::method::all_pairs};
        if (how != integrator::hermite && n > 100) rules.how = nbody::method::barnes_hut;
        if (adaptive > 0) rules.part = nbody::parting::domains;
        j.at(std::to_string(g.size()) + " members, " + std::to_string(n) + " bodies in motion, integrator " +
             std::to_string(static_cast<int>(how)));
        const auto start = some_bodies<T>(n);
        nbody::group_simulation<T> all(g, start, rules, how, 1e-2, adaptive);
        nbody::simulation<T> alone(one, start, rules, how, 1e-2, adaptive);
        all.step(2), alone.step(2);
        same_state(j, "after steps", all, alone);
        auto again = nbody::group_simulation<T>::resume(g, alone.checkpoint());
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

judge walk_bodies(const group& g, std::uint64_t most, bool doubles, bool bits) {
  judge j("bodies");
  const context& one = g.where(0);
  force_cases<float>(j, g, one, most, bits);
  if (doubles) force_cases<double>(j, g, one, most / 2, bits);
  if (bits) motion_cases<float>(j, g, one, most / 4);
  if (bits && doubles) motion_cases<double>(j, g, one, most / 4);
  return j;
}

judge walk_domains(const group& g, std::uint64_t most, bool doubles) {
  judge j("domains");
  domain_cases<float>(j, g, g.where(0), most);
  if (doubles) domain_cases<double>(j, g, g.where(0), most);
  return j;
}

}  // namespace upsweep::group_proof
