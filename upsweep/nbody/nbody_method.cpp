#include "upsweep/nbody.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

#include "upsweep/buffer.hpp"
#include "upsweep/nbody/nbody_motion.hpp"
#include "upsweep/nbody/nbody_motion_steps.hpp"
#include "upsweep/nbody/nbody_tuning.hpp"
#include "upsweep/nbody/opencl/nbody_opencl_tree.hpp"

namespace upsweep {

namespace detail::nbody_impl {

namespace {

void require_from_0(double value, const char* what) {
  if (value >= 0 && std::isfinite(value)) return;
  throw error(fault::bad_argument, "nbody",
              std::string(what) + " of " + std::to_string(value) + " is not a number from 0 up", "give 0 or more");
}

std::uint64_t tree_from(device& d) {
  switch (d.kind()) {
    case backend::cuda: return cuda_tree_from;
#if UPSWEEP_WITH_OPENCL
    case backend::opencl: return tree_from_on_opencl(d);
#endif
    default: return cpu_tree_from;
  }
}

constexpr const char* as_many = "give as many of each";

[[noreturn]] void bad_body(std::size_t i, const std::string& what, const char* remedy) {
  throw error(fault::bad_argument, "nbody", "body " + std::to_string(i) + " " + what, remedy);
}

// Squares of distances are made in T. Where the largest of them does not fit, and the acceleration there is a number
// that T holds, results would be 0 without a word.
template <class T>
void require_units(const nbody::parameters& rules, std::span<const T> x, std::span<const T> y, std::span<const T> z,
                   std::span<const T> mass) {
  if (x.size() < 2) return;
  const double largest = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  const auto refuse = [&](const std::string& what, const char* unit) {
    throw error(fault::bad_argument, "nbody",
                what + ", and its square is not a finite " + std::string(name_of(dtype_of<T>)),
                std::string("give lengths in a ") + unit + " unit, with masses and G to match" +
                    (sizeof(T) == 4 ? ", or f64" : ""));
  };
  const auto number = [](double v) {
    char text[32];
    return std::string(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.4g", v)));
  };
  double across = 0, heaviest = 0;
  for (const std::span<const T> axis : {x, y, z}) {
    const auto [low, high] = std::minmax_element(axis.begin(), axis.end());
    across = std::hypot(across, double(*high) - double(*low));
  }
  for (const T m : mass) heaviest = std::max(heaviest, double(m));
  if (rules.softening > std::sqrt(largest)) refuse("the softening is " + number(rules.softening), "larger");
  const double pull = std::abs(rules.gravity) * heaviest / across / across;
  if (across > std::sqrt(largest) && pull >= least) refuse("the bodies are " + number(across) + " apart", "larger");
  if (across > 0 && across < std::sqrt(least) && rules.softening < std::sqrt(least) && heaviest > 0)
    refuse("the bodies are within " + number(across) + " of each other", "smaller");
}

// The first is body `from` of all.
template <class T>
void require_places(const nbody::parameters& rules, std::span<const T> x, std::span<const T> y, std::span<const T> z,
                    std::span<const T> mass, std::size_t from = 0) {
  for (std::span<const T> each : {y, z, mass})
    core::require_same_size("nbody", "there are # elements of x and # of another array", x.size(), each.size(),
                            as_many);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(mass[i] >= 0) || !std::isfinite(mass[i]))
      bad_body(from + i, "has a mass of " + std::to_string(mass[i]), "masses must be finite and not negative");
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]) || !std::isfinite(z[i]))
      bad_body(from + i,
               "is at (" + std::to_string(x[i]) + ", " + std::to_string(y[i]) + ", " + std::to_string(z[i]) + ")",
               "positions must be finite");
    if (rules.dimensions == 2 && z[i] != 0)
      bad_body(from + i, "is at z = " + std::to_string(z[i]), "in two dimensions z must be 0; use three dimensions");
  }
  require_units(rules, x, y, z, mass);
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
                    std::to_string(std::max(*twice, twice[1])) + " have the same position, and there is no softening",
                "give a softening above 0, or move one of them");
}

}  // namespace

void require_parameters(const nbody::parameters& p) {
  require_from_0(p.softening, "a softening");
  require_from_0(p.theta, "an opening angle (theta)");
  require_from_0(p.criterion, "a relative error");
  if (!std::isfinite(p.gravity))
    throw error(fault::bad_argument, "nbody", "the constant of gravity is not a finite number", "give G in your units");
  if (p.dimensions != 2 && p.dimensions != 3)
    throw error(fault::bad_argument, "nbody", std::to_string(p.dimensions) + " dimensions are not 2 or 3",
                "give 2 or 3");
  if (p.method == nbody_method::barnes_hut && p.compensated)
    throw error(fault::unsupported, "nbody", "Barnes-Hut has no compensated sums",
                "use all pairs, or do not request them");
}

problem problem_of(const target& to, const nbody::parameters& rules, dtype type, std::uint64_t n) {
  problem p;
  p.what = primitive::nbody, p.type = type, p.n = n;
  p.gravity = {.constant = rules.gravity,
               .softening = rules.softening,
               .theta = rules.theta,
               .criterion = rules.criterion,
               .quadrupoles = rules.quadrupoles,
               .compensated = rules.compensated,
               .method = rules.method};
  if (rules.method == nbody_method::automatic && to.asked_for("nbody") == nullptr) {
    const bool tree = n >= tree_from(to.on()) && (rules.theta > 0 || rules.criterion > 0) && !rules.compensated;
    p.gravity.method = tree ? nbody_method::barnes_hut : nbody_method::all_pairs;
  }
  return p;
}

namespace {

template <class T>
void require_evaluation(const context& where, const nbody::parameters& rules, const evaluation<T>& e) {
  const std::uint64_t n = e.x.size();
  for (const std::uint64_t size : {e.y.size(), e.z.size(), e.mass.size()})
    core::require_same_size("nbody", "there are # elements of x and # of another array", n, size, as_many);
  for (const std::uint64_t size : {e.ax.size(), e.ay.size(), e.az.size(), e.potential.size() ? e.potential.size() : n})
    core::require_same_size("accelerations", "# bodies have room for # results", n, size, as_many);
  core::require_no_overlap("accelerations", where,
                           {{"x", e.x},
                            {"y", e.y},
                            {"z", e.z},
                            {"the masses", e.mass},
                            {"ax", e.ax},
                            {"ay", e.ay},
                            {"az", e.az},
                            {"the potentials", e.potential}});
  if (e.x.on_host() || where.kind() == backend::cpu || core::is_checked(where)) {
    const core::readable<T> x(where, e.x), y(where, e.y), z(where, e.z), mass(where, e.mass);
    const auto all = [n](const core::readable<T>& r) { return std::span<const T>(r.data(), n); };
    require_places(rules, all(x), all(y), all(z), all(mass));
  }
}

template <class T>
void run_on_rows(const context& where, const nbody::parameters& rules, bool potentials, std::uint64_t n, memory in,
                 memory out) {
  problem p = problem_of(where, rules, dtype_of<T>, n);
  p.gravity.potentials = potentials;
  p.in = in, p.out = out;
  detail::nbody_impl::run(where, p);
}

}  // namespace

template <class T>
void evaluate(const context& where, const nbody::parameters& rules, const evaluation<T>& e) {
  require_parameters(rules);
  require_evaluation(where, rules, e);
  const std::uint64_t n = e.x.size();
  const bool potentials = e.potential.size() > 0;
  if (e.x.accessible_from(where)) {
    device& d = where.device();
    const memory in = d.scratch("nbody/bodies", n * sizeof(vec4<T>)),
                 out = d.scratch("nbody/pulls", n * sizeof(vec4<T>));
    interleave(d, dtype_of<T>, n, {e.x.where(), e.y.where(), e.z.where(), e.mass.where()}, in);
    run_on_rows<T>(where, rules, potentials, n, in, out);
    return deinterleave(d, dtype_of<T>, n, out,
                        {e.ax.where(), e.ay.where(), e.az.where(), potentials ? e.potential.where() : memory{}});
  }
  std::vector<vec4<T>> all(n);
  for (std::uint64_t i = 0; i < n; ++i) all[i] = {e.x[i], e.y[i], e.z[i], e.mass[i]};
  const buffer<vec4<T>> in(where, all);
  buffer<vec4<T>> out(where, n);
  run_on_rows<T>(where, rules, potentials, n, in.span().where(), out.span().where());
  out.download(all);
  for (std::uint64_t i = 0; i < n; ++i) {
    e.ax[i] = all[i].x, e.ay[i] = all[i].y, e.az[i] = all[i].z;
    if (potentials) e.potential[i] = all[i].w;
  }
}

template void evaluate(const context&, const nbody::parameters&, const evaluation<float>&);
template void evaluate(const context&, const nbody::parameters&, const evaluation<double>&);

}  // namespace detail::nbody_impl

namespace nbody {

template <class T>
void require_bodies(const bodies<T>& b, const parameters& p) {
  detail::nbody_impl::require_bodies_from(0, b, p);
}

template void require_bodies(const bodies<float>&, const parameters&);
template void require_bodies(const bodies<double>&, const parameters&);
}  // namespace nbody

namespace detail::nbody_impl {

template <class T>
void require_bodies_from(std::size_t first, const nbody::bodies<T>& b, const nbody::parameters& p) {
  for (const std::vector<T>* each : {&b.vx, &b.vy, &b.vz})
    core::require_same_size("nbody", "# bodies have # velocities", b.size(), each->size(), as_many);
  require_places<T>(p, b.x, b.y, b.z, b.mass, first);
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!std::isfinite(b.vx[i]) || !std::isfinite(b.vy[i]) || !std::isfinite(b.vz[i]))
      bad_body(first + i,
               "moves at (" + std::to_string(b.vx[i]) + ", " + std::to_string(b.vy[i]) + ", " +
                   std::to_string(b.vz[i]) + ")",
               "velocities must be finite");
    if (p.dimensions == 2 && b.vz[i] != 0)
      bad_body(first + i, "moves out of the plane", "in two dimensions vz must be 0; use three dimensions");
  }
}

template void require_bodies_from(std::size_t, const nbody::bodies<float>&, const nbody::parameters&);
template void require_bodies_from(std::size_t, const nbody::bodies<double>&, const nbody::parameters&);

}  // namespace detail::nbody_impl

}  // namespace upsweep
