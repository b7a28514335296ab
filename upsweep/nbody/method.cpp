#include "upsweep/nbody.hpp"
#include "upsweep/nbody/problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

#include "upsweep/buffer.hpp"
#include "upsweep/nbody/motion_steps.hpp"
#include "upsweep/nbody/tuning.hpp"

namespace upsweep {

namespace nbody_room {

namespace {

void require_from_0(double value, const char* what) {
  if (value >= 0 && std::isfinite(value)) return;
  throw error(fault::bad_argument, "nbody",
              std::string(what) + " of " + std::to_string(value) + " is no number from 0 up", "give 0 or more");
}

std::uint64_t tree_from(const device& d) {
  switch (d.kind()) {
    case backend::cuda: return cuda_tree_from;
    case backend::opencl: return opencl_tree_from;
    default: return cpu_tree_from;
  }
}

constexpr const char* as_many = "give as many of each";

[[noreturn]] void bad_body(std::size_t i, const std::string& what, const char* remedy) {
  throw error(fault::bad_argument, "nbody", "body " + std::to_string(i) + " " + what, remedy);
}

template <class T>
void require_places(const nbody::physics& rules, std::span<const T> x, std::span<const T> y, std::span<const T> z,
                    std::span<const T> mass) {
  for (std::span<const T> each : {y, z, mass})
    core::require_same_size("nbody", "there are # x and # of another array", x.size(), each.size(), as_many);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(mass[i] >= 0) || !std::isfinite(mass[i]))
      bad_body(i, "has a mass of " + std::to_string(mass[i]), "masses are finite and not below 0");
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]) || !std::isfinite(z[i]))
      bad_body(i, "is at (" + std::to_string(x[i]) + ", " + std::to_string(y[i]) + ", " + std::to_string(z[i]) + ")",
               "positions are finite");
    if (rules.dimensions == 2 && z[i] != 0)
      bad_body(i, "is at z = " + std::to_string(z[i]), "in two dimensions z is 0; ask for three");
  }
  if (rules.softening > 0) return;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (mass[i] > 0) order.push_back(i);
  const auto place = [&](std::size_t i) { return std::tuple(x[i], y[i], z[i]); };
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return place(i) < place(j); });
  const auto twice = std::adjacent_find(order.begin(), order.end(),
                                        [&](std::size_t i, std::size_t j) { return place(i) == place(j); });
  if (twice != order.end())
    throw error(fault::bad_argument, "nbody",
                "bodies " + std::to_string(std::min(*twice, twice[1])) + " and " +
                    std::to_string(std::max(*twice, twice[1])) + " are on one point, and there is no softening",
                "give a softening above 0, or move one of them");
}

}  // namespace

void require_physics(const nbody::physics& p) {
  require_from_0(p.softening, "a softening");
  require_from_0(p.theta, "an opening angle (theta)");
  require_from_0(p.criterion, "a relative error");
  if (!std::isfinite(p.gravity))
    throw error(fault::bad_argument, "nbody", "the constant of gravity is no finite number", "give G in your units");
  if (p.dimensions != 2 && p.dimensions != 3)
    throw error(fault::bad_argument, "nbody", std::to_string(p.dimensions) + " dimensions are not 2 or 3",
                "give 2 or 3");
}

problem problem_of(const target& to, const nbody::physics& rules, dtype type, std::uint64_t n) {
  problem p;
  p.what = primitive::nbody, p.type = type, p.n = n;
  p.gravity = {.constant = rules.gravity,
               .softening = rules.softening,
               .theta = rules.theta,
               .criterion = rules.criterion,
               .quadrupoles = rules.quadrupoles,
               .compensated = rules.compensated,
               .method = rules.how};
  if (rules.how == nbody_method::automatic && to.asked_for("nbody") == nullptr) {
    const bool tree = n >= tree_from(to.on()) && (rules.theta > 0 || rules.criterion > 0) && !rules.compensated;
    p.gravity.method = tree ? nbody_method::barnes_hut : nbody_method::all_pairs;
  }
  return p;
}

}  // namespace nbody_room

namespace nbody {

template <class T>
void require_bodies(const bodies<T>& b, const physics& p) {
  for (const std::vector<T>* each : {&b.vx, &b.vy, &b.vz})
    core::require_same_size("nbody", "# bodies have # velocities", b.size(), each->size(), nbody_room::as_many);
  nbody_room::require_places<T>(p, b.x, b.y, b.z, b.mass);
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!std::isfinite(b.vx[i]) || !std::isfinite(b.vy[i]) || !std::isfinite(b.vz[i]))
      nbody_room::bad_body(i,
                           "moves at (" + std::to_string(b.vx[i]) + ", " + std::to_string(b.vy[i]) + ", " +
                               std::to_string(b.vz[i]) + ")",
                           "velocities are finite");
    if (p.dimensions == 2 && b.vz[i] != 0)
      nbody_room::bad_body(i, "moves out of the plane", "in two dimensions vz is 0; ask for three");
  }
}

template <class T>
void accelerations(const context& where, const physics& rules, std::span<const T> x, std::span<const T> y,
                   std::span<const T> z, std::span<const T> mass, std::span<T> ax, std::span<T> ay, std::span<T> az,
                   std::span<T> potential) {
  using four = nbody_room::four<T>;
  const std::size_t n = x.size();
  nbody_room::require_physics(rules);
  nbody_room::require_places(rules, x, y, z, mass);
  for (std::size_t size : {ax.size(), ay.size(), az.size(), potential.empty() ? n : potential.size()})
    core::require_same_size("accelerations", "# bodies have room for # results", n, size, nbody_room::as_many);
  std::vector<four> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = {x[i], y[i], z[i], mass[i]};
  const buffer<four> in(where, all);
  buffer<four> out(where, n);
  nbody_room::problem p = nbody_room::problem_of(where, rules, dtype_of<T>, n);
  p.gravity.potentials = !potential.empty();
  p.in = in.span().where(), p.out = out.span().where();
  nbody_room::run(where, p);
  out.download(all);
  for (std::size_t i = 0; i < n; ++i) {
    ax[i] = all[i].x, ay[i] = all[i].y, az[i] = all[i].z;
    if (!potential.empty()) potential[i] = all[i].w;
  }
}

template void require_bodies(const bodies<float>&, const physics&);
template void require_bodies(const bodies<double>&, const physics&);
template void accelerations<float>(const context&, const physics&, std::span<const float>, std::span<const float>,
                                   std::span<const float>, std::span<const float>, std::span<float>, std::span<float>,
                                   std::span<float>, std::span<float>);
template void accelerations<double>(const context&, const physics&, std::span<const double>, std::span<const double>,
                                    std::span<const double>, std::span<const double>, std::span<double>,
                                    std::span<double>, std::span<double>, std::span<double>);

}  // namespace nbody

}  // namespace upsweep
