// Conformance test of forces: a sample of the bodies, or all of them if they are few, compared with all pairs in f64.
// The error bound is that of a sum of n terms with sixteen roundings each, relative to Σ|a_ij| (in which nothing
// cancels). For θ > 0 the bound is larger by θ³ / 10, or by θ² / 2 for single masses: the first moments that cells
// leave out. Distances beyond the range of f32 are infinite; the contribution of their pairs is lost, and is less than
// the floors below.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/nbody/nbody_motion_steps.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

// ---- scenes

constexpr double tau = 2 * std::numbers::pi;

vec4<double> on_a_sphere(double radius, std::uint64_t bits) {
  const double z = 2 * unit(mixed(bits)) - 1, turn = tau * unit(mixed(bits + 1)), flat = std::sqrt(1 - z * z);
  return {radius * flat * std::cos(turn), radius * flat * std::sin(turn), radius * z, 0};
}

// uniform: a cube, or, in a check, at some sizes one of the others. sorted: Plummer's sphere. reversed: on a line. few:
// on five points. zipf: Plummer's sphere with masses over nine orders and one body at 10^20. constant: a lattice in the
// plane, of equal masses but for a few without any.
vec4<double> body(std::uint64_t i, std::uint64_t n, std::uint64_t seed, input_kind kind, bool vary) {
  const std::uint64_t bits = mixed(seed ^ mixed(i));
  if (vary && kind == input_kind::uniform) kind = all_inputs[mixed(seed ^ n) % 9 < 5 ? mixed(seed ^ n) % 9 + 1 : 0];
  const auto plummer = [&] {
    const double inner = 0.999 * unit(mixed(bits + 7));
    return on_a_sphere(1 / std::sqrt(std::pow(inner, -2.0 / 3) - 1), bits);
  };
  const double share = 1 / static_cast<double>(n);
  vec4<double> b{};
  switch (kind) {
    case input_kind::sorted: b = plummer(), b.w = share; break;
    case input_kind::reversed: b = {2 * unit(bits) - 1, 0, 0, unit(mixed(bits + 3)) * share}; break;
    case input_kind::few:
      b = {static_cast<double>(bits % 5) / 3, static_cast<double>(bits % 5 % 2), 0.25, share};
      break;
    case input_kind::zipf:
      b = i == n / 2 ? vec4<double>{1e20, -1e20, 3, 0} : plummer();
      b.w = share * std::pow(10.0, -9 * unit(mixed(bits + 3)));
      break;
    case input_kind::constant:
      b = {static_cast<double>(i % 37), static_cast<double>(i / 37), 0, i % 11 == 3 ? 0.0 : 1.0};
      break;
    default:
      b = {unit(mixed(bits + 4)), unit(mixed(bits + 5)), unit(mixed(bits + 6)), share * (0.5 + unit(bits))};
      break;
  }
  return b;
}

template <class T>
vec4<T> narrowed(const vec4<double>& b) {
  return {static_cast<T>(b.x), static_cast<T>(b.y), static_cast<T>(b.z), static_cast<T>(b.w)};
}

// ---- forms

// The forms of a benchmark have G = 1, keep their size, and use the requested scene.
bool of_bench(const problem& p) { return p.gravity.constant == 1; }

problem form(dtype type, double theta, double softening) {
  problem p;
  p.what = primitive::nbody, p.type = type;
  p.gravity.constant = 1.5, p.gravity.theta = theta, p.gravity.softening = softening;
  return p;
}

std::vector<problem> forms(bool sample) {
  std::vector<problem> all;
  for (dtype type : {dtype::f32, dtype::f64}) {
    all.push_back(form(type, 0, 0.05));
    all.push_back(form(type, 0.5, 0.05));
    all.push_back(form(type, 0, 0));
    all.push_back(form(type, 0, 0.01));
    all.back().gravity.jerks = true;
    if (sample) continue;
    all.push_back(form(type, 0.8, 0));
    all.back().gravity.quadrupoles = false, all.back().gravity.potentials = false;
    all.push_back(form(type, 0.5, 0.01));
    all.back().gravity.criterion = 1e-3;
    all.push_back(form(type, 0, 1e-18));  // f32 cannot divide by its cube
    all.back().gravity.potentials = false;
  }
  all.push_back(form(dtype::f32, 0, 0.02));
  all.back().gravity.compensated = true;
  return all;
}

void complete(problem&, std::uint64_t, std::uint64_t) {}

std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const std::uint64_t record = 4 * size_of(p.type);
  const auto records = [&](memory problem::* slot, auto make) {
    array a{slot, p.n, record, {}, false};
    a.fill = [type = p.type, make](void* to, std::uint64_t first, std::uint64_t count) {
      for (std::uint64_t i = 0; i < count; ++i) {
        const vec4<double> b = make(first + i);
        type == dtype::f32 ? void(static_cast<vec4<float>*>(to)[i] = narrowed<float>(b))
                           : void(static_cast<vec4<double>*>(to)[i] = b);
      }
    };
    return a;
  };
  std::vector<array> list{records(&problem::in, [=, n = p.n, vary = !of_bench(p)](
                                                    std::uint64_t i) { return body(i, n, seed, kind, vary); }),
                          {&problem::out, p.n, record, {}, true}};
  if (p.gravity.jerks) {
    list.push_back(records(
        &problem::in2, [=](std::uint64_t i) { return on_a_sphere(1 + unit(mixed(seed + i)), mixed(seed * 3 + i)); }));
    list.push_back({&problem::out2, p.n, record, {}, true});
  }
  return list;
}

// ---- reference results

// Neumaier's sum: a plain sum would add its own roundings to the differences.
struct careful_sum {
  double sum = 0, lost = 0;
  void operator+=(double x) {
    const double all = sum + x;
    lost += std::abs(sum) >= std::abs(x) ? (sum - all) + x : (x - all) + sum;
    sum = all;
  }
  operator double() const { return sum + lost; }
};

struct truth {
  careful_sum a[3], j[3], potential;
  double sum_a = 0, sum_j = 0;  // of the pairs' sizes
};

template <class T>
truth truth_of(const problem& p, std::uint64_t i) {
  const auto* in = p.in.as<const vec4<T>>();
  const auto* moving = p.gravity.jerks ? p.in2.as<const vec4<T>>() : nullptr;
  const double softening = p.gravity.softening * p.gravity.softening;
  truth t;
  for (std::uint64_t k = 0; k < p.n; ++k) {
    const double d[3] = {double(in[k].x) - double(in[i].x), double(in[k].y) - double(in[i].y),
                         double(in[k].z) - double(in[i].z)};
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening;
    if (k == i || r2 == 0) continue;
    const double r = std::sqrt(r2), near = p.gravity.constant * in[k].w / r, pull = near / r2;
    t.potential += -near;
    t.sum_a += pull * r;
    for (int c = 0; c < 3; ++c) t.a[c] += pull * d[c];
    if (!moving) continue;
    const double v[3] = {double(moving[k].x) - double(moving[i].x), double(moving[k].y) - double(moving[i].y),
                         double(moving[k].z) - double(moving[i].z)};
    const double rate = 3 * (d[0] * v[0] + d[1] * v[1] + d[2] * v[2]) / r2;
    for (int c = 0; c < 3; ++c) t.j[c] += pull * (v[c] - rate * d[c]);
    t.sum_j += 4 * pull * std::hypot(v[0], v[1], v[2]);
  }
  return t;
}

// Two digits, as people write them.
std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", x);
  return text;
}

template <class T>
std::string wrong_with(const problem& p, double span) {
  const double eps = std::numeric_limits<T>::epsilon(), n = static_cast<double>(p.n);
  const double chain = p.gravity.compensated ? 0 : std::min(span, n);
  const gravitation& g = p.gravity;
  // A cell is taken by its next moment, m s³ / d⁵, and not by a bound of its error, which is the sum over l > 2 of
  // (l + 1) (s / d)^l m / d²: four times as much and, as near as cells are taken, up to ten; and those of several cells
  // add up. So a few bodies may be far off (17.5 times the criterion is the most seen), but not many.
  constexpr double few_are_off = 64, most_are_within = 4, potentials_within = 16;
  const double criterion = g.jerks ? 0 : g.criterion;
  const double left_out = g.jerks         ? 0
                          : criterion > 0 ? few_are_off * criterion
                                          : (g.quadrupoles ? std::pow(g.theta, 3) / 10 : g.theta * g.theta / 2);
  const double tolerance = (16 + chain) * eps + left_out,
               tolerance_potential = tolerance - (few_are_off - potentials_within) * criterion;
  double mass = 0;
  for (std::uint64_t k = 0; k < p.n; ++k) mass += p.in.as<const vec4<T>>()[k].w;
  // Bodies further away than the root of the largest number contribute nothing.
  const double reach = std::is_same_v<T, float> ? 1e19 : 1e150, floor_potential = g.constant * mass / reach,
               floor_a = floor_potential / reach;

  const std::uint64_t checked =
      std::clamp<std::uint64_t>((1 << 23) / std::max<std::uint64_t>(p.n, 1), 64, std::max<std::uint64_t>(p.n, 64));
  std::vector<std::string> faults(cpu::block_count(checked, 16));
  std::vector<std::uint64_t> further(faults.size());  // off than most are
  cpu::for_each_block(faults.size(), [&](std::uint64_t b, const cpu::stop_flag&) {
    for (std::uint64_t s = 16 * b; s < std::min(checked, 16 * b + 16) && faults[b].empty(); ++s) {
      if (checked >= p.n && s >= p.n) break;
      const std::uint64_t i = checked >= p.n ? s : s * (p.n - 1) / (checked - 1);
      const truth t = truth_of<T>(p, i);
      const vec4<T> got = p.out.as<const vec4<T>>()[i];
      const auto hold = [&](const char* what, double value, double expected, double allowed) {
        if (!(std::abs(value - expected) <= allowed))
          faults[b] = std::string(what) + " of body " + std::to_string(i) + " is " + std::to_string(value) +
                      " and should be " + std::to_string(expected) + " within " + std::to_string(allowed) +
                      " (off by " + std::to_string(std::abs(value - expected) / allowed) + " times that)";
      };
      const double allowed = tolerance * t.sum_a + floor_a;
      hold("the acceleration in x", got.x, t.a[0], allowed);
      hold("the acceleration in y", got.y, t.a[1], allowed);
      hold("the acceleration in z", got.z, t.a[2], allowed);
      hold("the potential", got.w, g.potentials ? static_cast<double>(t.potential) : 0.0,
           g.potentials ? tolerance_potential * std::abs(t.potential) + floor_potential : 0);
      const double off = std::max({std::abs(got.x - t.a[0]), std::abs(got.y - t.a[1]), std::abs(got.z - t.a[2])});
      further[b] += !(off <= allowed - (few_are_off - most_are_within) * criterion * t.sum_a);
      if (!g.jerks) continue;
      const vec4<T> j = p.out2.as<const vec4<T>>()[i];
      const double allowed_j = tolerance * t.sum_j + floor_a;
      hold("the jerk in x", j.x, t.j[0], allowed_j);
      hold("the jerk in y", j.y, t.j[1], allowed_j);
      hold("the jerk in z", j.z, t.j[2], allowed_j);
      hold("the fourth number of the jerk", j.w, 0, 0);
    }
  });
  for (const std::string& fault : faults)
    if (!fault.empty()) return fault;
  const std::uint64_t all_further = std::accumulate(further.begin(), further.end(), std::uint64_t{0});
  if (criterion > 0 && all_further > 1 + std::min(checked, p.n) / 10)
    return std::to_string(all_further) + " of " + std::to_string(std::min(checked, p.n)) +
           " bodies are off by more than " + short_number(most_are_within) + " times the criterion";
  return {};
}

std::string wrong(const problem& p, double span) {
  return p.type == dtype::f32 ? wrong_with<float>(p, span) : wrong_with<double>(p, span);
}

std::string words(const problem& p) {
  const gravitation& g = p.gravity;
  std::string s = std::string(name_of(p.type)) + " nbody, ";
  s += g.criterion > 0 ? "relative error " + short_number(g.criterion) : "theta " + short_number(g.theta);
  s += ", softening " + short_number(g.softening);
  if (!g.quadrupoles) s += ", single masses";
  if (g.compensated) s += ", compensated";
  if (g.potentials) s += ", with potentials";
  if (g.jerks) s += ", with jerks";
  return s;
}

std::vector<problem> timed(dtype type, op_kind, bool inclusive) {
  if (inclusive || (type != dtype::f32 && type != dtype::f64)) return {};
  std::vector<problem> all{form(type, 0, 0.01), form(type, 0.5, 0.01)};
  for (problem& p : all) {
    p.gravity.constant = 1, p.gravity.potentials = false;
    p.gravity.method = p.gravity.theta > 0 ? nbody_method::barnes_hut : nbody_method::all_pairs;
  }
  return all;
}

traffic moves(const problem& p, input_kind) {
  const double bytes = static_cast<double>(p.n * 4 * size_of(p.type));
  return {bytes, bytes};
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  conformance_test e;
  e.what = primitive::nbody;
  e.forms = forms, e.complete = complete, e.arrays = arrays, e.wrong = wrong, e.words = words;
  e.most_checked = 10'007;  // trees take any number; a check's time goes into more forms instead
  e.timed = timed, e.moves = moves, e.kinds = true;
  return {e};
}

}  // namespace upsweep::detail::nbody_impl
