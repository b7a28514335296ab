// nbody.hpp's contract on every usable device: forces in awkward scenes, laws that hold for any, and motion. The
// algorithms themselves are checked through the catalog.
#include "upsweep/nbody.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "tests/conformance_tests.hpp"
#include "tests/devices.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/nbody/conformance/nbody_force_errors.hpp"
#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/nbody/nbody_tree.hpp"

namespace upsweep::nbody {
namespace {

using detail::nbody_impl::primitive;
using detail::nbody_impl::problem;
using tests::expect_error;

struct NbodyOn : tests::on_each_device {
  // A device without f64 has no test of it.
  bool has_f64() const { return where().device().supports(dtype::f64); }
};
INSTANTIATE_TEST_SUITE_P(, NbodyOn, testing::ValuesIn(tests::device_names()), tests::device_label);

// n bodies of mass 1/n with Plummer's density and velocities that hold them together.
template <class T>
bodies<T> plummer(std::size_t n) {
  bodies<T> b;
  b.resize(n);
  std::uint64_t turn = 0;
  const auto random = [&] { return unit(mixed(++turn)); };
  const auto on_a_sphere = [&](double radius, T& x, T& y, T& z) {
    const double height = 2 * random() - 1, angle = 2 * std::numbers::pi * random(),
                 flat = std::sqrt(1 - height * height);
    x = static_cast<T>(radius * flat * std::cos(angle)), y = static_cast<T>(radius * flat * std::sin(angle)),
    z = static_cast<T>(radius * height);
  };
  for (std::size_t i = 0; i < n; ++i) {
    const double r = 1 / std::sqrt(std::pow(0.99 * random() + 1e-4, -2.0 / 3) - 1);
    double q = 0, g = 1;
    while (g > q * q * std::pow(1 - q * q, 3.5)) q = random(), g = random() / 10;
    on_a_sphere(r, b.x[i], b.y[i], b.z[i]);
    on_a_sphere(q * std::sqrt(2.0) * std::pow(1 + r * r, -0.25), b.vx[i], b.vy[i], b.vz[i]);
    b.mass[i] = static_cast<T>(1.0 / static_cast<double>(n));
  }
  return b;
}

// Two bodies on an ellipse about their centre of mass, G = 1, masses 1 and m; the period is 2π.
template <class T>
bodies<T> kepler(double m, double eccentricity) {
  bodies<T> b;
  b.resize(2);
  const double all = 1 + m, axis = std::cbrt(all), apart = axis * (1 - eccentricity),
               speed = std::sqrt(all / axis * (1 + eccentricity) / (1 - eccentricity));
  b.mass = {T(1), static_cast<T>(m)};
  b.x = {static_cast<T>(-apart * m / all), static_cast<T>(apart / all)};
  b.vy = {static_cast<T>(-speed * m / all), static_cast<T>(speed / all)};
  return b;
}

template <class T>
struct field_of {
  std::vector<T> x, y, z, potential;
  field_of(const context& where, const bodies<T>& b, const parameters& p) : x(b.size()), y(x), z(x), potential(x) {
    accelerations<T>(where, p, b.x, b.y, b.z, b.mass, x, y, z, potential);
  }
};

TEST_P(NbodyOn, PullsTwoBodiesTogether) {
  bodies<float> b;
  b.resize(2);
  b.x = {0, 3}, b.y = {0, 4}, b.mass = {2, 5};
  const field_of<float> f(where(), b, {.gravity = 10});
  // r = 5: G m / r² = 10 · 5 / 25 = 2 on the first, 0.8 on the second.
  EXPECT_NEAR(f.x[0], 1.2, 1e-6);
  EXPECT_NEAR(f.y[0], 1.6, 1e-6);
  EXPECT_EQ(f.z[0], 0);
  EXPECT_NEAR(f.x[1], -0.48, 1e-6);
  EXPECT_NEAR(f.y[1], -0.64, 1e-6);
  EXPECT_NEAR(f.potential[0], -10, 1e-5);
  EXPECT_NEAR(f.potential[1], -4, 1e-5);
}

TEST_P(NbodyOn, TakesNoneAndOne) {
  const field_of<float> none(where(), bodies<float>{}, {});
  EXPECT_TRUE(none.x.empty());
  bodies<float> b;
  b.resize(1);
  b.mass = {1}, b.vx = {2};
  const field_of<float> one(where(), b, {.softening = 0.1});
  EXPECT_EQ(one.x[0], 0);
  EXPECT_EQ(one.potential[0], 0);
  simulation<float> s(where(), b, {}, integrator::leapfrog, 0.25);
  s.step(4);
  EXPECT_EQ(s.state().x[0], 2);
  EXPECT_EQ(s.time(), 1);
  EXPECT_EQ(s.steps(), 4u);
  simulation<float> empty(where(), bodies<float>{}, {});
  empty.step(2);
  EXPECT_EQ(empty.measure().energy(), 0);
}

// Forces of one pair are opposite: whatever the scene, all momenta's changes cancel.
TEST_P(NbodyOn, ChangesNoMomentum) {
  const bodies<float> b = plummer<float>(1500);
  for (const method how : {method::all_pairs, method::automatic}) {
    const field_of<float> f(where(), b, {.softening = 0.01, .method = how});
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < b.size(); ++i) sum += b.mass[i] * f.x[i], size += b.mass[i] * std::abs(f.x[i]);
    EXPECT_LE(std::abs(sum), 1e-6 * size);
  }
}

// A scene that is moved, mirrored or scaled has its forces moved, mirrored or scaled.
TEST_P(NbodyOn, KnowsNoPlaceAndNoDirection) {
  if (!has_f64()) GTEST_SKIP() << "no f64";
  const bodies<double> b = plummer<double>(300);
  bodies<double> other = b;
  for (std::size_t i = 0; i < b.size(); ++i)
    other.x[i] = 5 - 2 * b.y[i], other.y[i] = 2 * b.x[i] + 7, other.z[i] = 2 * b.z[i] - 3;
  const field_of<double> f(where(), b, {}), g(where(), other, {});
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double size = std::hypot(f.x[i], f.y[i], f.z[i]);
    EXPECT_NEAR(g.x[i], -f.y[i] / 4, 1e-9 * size);
    EXPECT_NEAR(g.y[i], f.x[i] / 4, 1e-9 * size);
    EXPECT_NEAR(g.z[i], f.z[i] / 4, 1e-9 * size);
  }
}

TEST_P(NbodyOn, CompensatedSumsLoseLess) {
  // One near heavy body, and many whose pulls are lost one by one in f32's sum.
  bodies<float> b;
  const std::size_t n = 10000;
  b.resize(n);
  for (std::size_t i = 0; i < n; ++i) b.x[i] = 1000, b.y[i] = static_cast<float>(i) * 1e-3f, b.mass[i] = 1;
  b.x[0] = 0, b.y[0] = 0, b.mass[0] = 0;
  b.x[1] = 1, b.y[1] = 0, b.mass[1] = 60;
  double truth = 60;
  for (std::size_t i = 2; i < n; ++i) truth += 1000 / std::pow(1e6 + double(b.y[i]) * b.y[i], 1.5);
  const field_of<float> f(where(), b, {.softening = 1e-4, .compensated = true, .method = method::all_pairs});
  EXPECT_NEAR(f.x[0] / truth, 1, 2.5e-7);
}

TEST_P(NbodyOn, AFarBodyAndManyOnOnePointHangNothing) {
  bodies<float> b = plummer<float>(6000);
  b.x[77] = 1e20f, b.y[77] = -1e20f;
  for (std::size_t i = 1000; i < 4000; ++i) b.x[i] = b.y[i] = b.z[i] = 0.5f;
  for (std::size_t i = 4000; i < 5000; ++i) b.x[i] = 0.25f, b.y[i] = b.z[i] = 0;
  const field_of<float> tree(where(), b, {.softening = 0.1, .method = method::barnes_hut}),
      pairs(where(), b, {.softening = 0.1, .method = method::all_pairs});
  for (std::size_t i = 0; i < b.size(); i += 7)
    ASSERT_LE(std::abs(tree.x[i] - pairs.x[i]) + std::abs(tree.y[i] - pairs.y[i]),
              2e-2 * (std::abs(pairs.x[i]) + std::abs(pairs.y[i]) + 0.01))
        << i;
}

TEST_P(NbodyOn, AnOpeningAngleOfZeroIsAllPairs) {
  const bodies<float> b = plummer<float>(3000);
  parameters p{.softening = 0.01, .theta = 0};
  p.method = method::barnes_hut;
  const field_of<float> tree(where(), b, p);
  p.method = method::all_pairs;
  const field_of<float> pairs(where(), b, p);
  for (std::size_t i = 0; i < b.size(); ++i)
    ASSERT_LE(std::abs(tree.x[i] - pairs.x[i]), 2e-5 * std::hypot(pairs.x[i], pairs.y[i], pairs.z[i]) + 1e-6);
}

// The curve of errors that the README states, as bounds.
TEST_P(NbodyOn, TheTreeIsAsRightAsItsAngleSays) {
  const bodies<float> b = plummer<float>(6000);
  const field_of<float> pairs(where(), b, {.softening = 0.01, .method = method::all_pairs});
  const auto median_and_p99 = [&](parameters p) {
    p.softening = 0.01, p.method = method::barnes_hut;
    const field_of<float> tree(where(), b, p);
    std::vector<double> errors;
    for (std::size_t i = 0; i < b.size(); ++i)
      errors.push_back(std::hypot(tree.x[i] - pairs.x[i], tree.y[i] - pairs.y[i], tree.z[i] - pairs.z[i]) /
                       std::hypot(pairs.x[i], pairs.y[i], pairs.z[i]));
    std::sort(errors.begin(), errors.end());
    return std::pair(errors[errors.size() / 2], errors[errors.size() * 99 / 100]);
  };
  const auto [median, p99] = median_and_p99({.theta = 0.5});
  EXPECT_LE(median, 3e-4);
  EXPECT_LE(p99, 5e-3);
  EXPECT_LE(median_and_p99({.theta = 0.3}).first, 5e-5);
  EXPECT_LE(median_and_p99({.theta = 0.5, .quadrupoles = false}).first, 5e-3);
  EXPECT_LE(median_and_p99({.criterion = 1e-4}).first, 1e-4);
}

// Of clustered, coincident and far bodies: every body is in one leaf, children make up their parent, moments are those
// of the bodies.
TEST_P(NbodyOn, TheReferenceSeesTheAngleAndThePartsOfTheTime) {
  parameters p{.softening = 0.01, .method = method::barnes_hut};
  force_reference<float> reference(where(), plummer<double>(3001), p, 500);
  const auto with = [&](double theta) {
    p.theta = theta;
    return reference.examine(p, 1);
  };
  const force_report fine = with(0.3), rough = with(1);
  EXPECT_GT(fine.errors.median, 1e-7);
  EXPECT_LT(fine.errors.p99, 1e-3);
  EXPECT_GT(rough.errors.median, 4 * fine.errors.median);
  for (const force_report& r : {fine, rough}) {
    EXPECT_LE(r.errors.median, r.errors.p90);
    EXPECT_LE(r.errors.p90, r.errors.p99);
    EXPECT_LE(r.errors.p999, r.errors.largest);
    const tree_times& t = r.parts;
    for (double part : {t.keys, t.sort, t.cells, t.moments, t.walk, r.whole}) EXPECT_GT(part, 0);
  }
  p.method = method::all_pairs;
  const force_report all = reference.examine(p, 1);
  EXPECT_LT(all.errors.largest, 1e-4);
  EXPECT_LT(all.errors.median, 1e-6);
  EXPECT_EQ(all.parts.walk, 0);
}

TEST(NbodyTree, HoldsEachBodyOnceAndAllItsMass) {
  const context cpu = context::cpu(2);
  bodies<double> b = plummer<double>(5000);
  for (std::size_t i = 1000; i < 2500; ++i) b.x[i] = b.y[i] = b.z[i] = 0.125;
  b.x[17] = 1e20;
  std::vector<detail::nbody_impl::vec4<double>> in;
  for (std::size_t i = 0; i < b.size(); ++i)
    in.push_back({b.x[i], b.y[i], b.z[i], b.mass[i] * static_cast<double>(1 + i % 3)});
  const gravitation g;
  const detail::nbody_impl::tree<double> t =
      detail::nbody_impl::build_tree<double>(cpu.device(), {in.data(), 0}, in.size(), g);
  std::vector<int> seen(in.size()), ordered(in.size());
  for (std::uint64_t i = 0; i < t.n; ++i) {
    ++ordered[t.order[i]];
    ASSERT_EQ(t.axis[3][i], in[t.order[i]].w);
  }
  for (std::uint64_t c = 0; c < t.count; ++c) {
    const detail::nbody_impl::cell_range cell = t.ranges[c];
    ASSERT_LT(cell.first, cell.end);
    if (cell.children == 0)
      for (std::uint32_t i = cell.first; i < cell.end; ++i) ++seen[i];
    else
      ASSERT_GE(cell.children, 2u);
    std::uint32_t at = cell.first;
    for (std::uint32_t k = 0; k < cell.children; ++k) {
      ASSERT_EQ(t.ranges[cell.child + k].first, at);
      at = t.ranges[cell.child + k].end;
    }
    if (cell.children) {
      ASSERT_EQ(at, cell.end);
    }
    double mass = 0, x = 0, xy = 0, size = 0;
    const detail::nbody_impl::cell_centre<double> centre = t.centres[c];
    for (std::uint32_t i = cell.first; i < cell.end; ++i) {
      const double m = t.axis[3][i], dx = t.axis[0][i] - centre.x, dy = t.axis[1][i] - centre.y;
      mass += m, x += m * dx, xy += m * dx * dy, size = std::max({size, std::abs(dx), std::abs(dy)});
      ASSERT_GE(t.axis[0][i], t.moments[c].lower[0]);
      ASSERT_LE(t.axis[0][i], t.moments[c].upper[0]);
    }
    ASSERT_NEAR(t.moments[c].mass, mass, 1e-12 * mass);
    ASSERT_NEAR(x, 0, 1e-9 * mass * size);
    ASSERT_NEAR(t.moments[c].moment[1], xy, 1e-9 * mass * size * size);
  }
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_TRUE(seen[i] == 1 && ordered[i] == 1) << i;
}

// --- motion

// How much smaller the error after a third of Kepler's orbit becomes where the step is halved, as a power of 2. (After
// all of it a symplectic integrator's is smaller than its order says.)
double order_of(const context& where, integrator how) {
  const auto end_of = [&](integrator with, int steps) {
    simulation<double> s(where, kepler<double>(0.5, 0.3), {}, with, 2 * std::numbers::pi / 3 / steps);
    s.step(static_cast<std::uint64_t>(steps));
    return std::pair(s.state().x[0], s.state().y[0]);
  };
  const auto [x, y] = end_of(integrator::hermite, 2000);
  const auto error_with = [&](int steps) {
    const auto [x2, y2] = end_of(how, steps);
    return std::hypot(x2 - x, y2 - y);
  };
  return std::log2(error_with(200) / error_with(400));
}

TEST_P(NbodyOn, EachIntegratorHasItsOrder) {
  if (!has_f64()) GTEST_SKIP() << "no f64";
  EXPECT_NEAR(order_of(where(), integrator::euler), 1, 0.1);
  EXPECT_NEAR(order_of(where(), integrator::leapfrog), 2, 0.1);
  EXPECT_NEAR(order_of(where(), integrator::hermite), 4, 0.2);
}

// After a sixth of the period the planet is where Kepler's equation says.
TEST_P(NbodyOn, FollowsKeplersEllipse) {
  if (!has_f64()) GTEST_SKIP() << "no f64";
  const double e = 0.4, m = 1e-3, mean = std::numbers::pi / 3;
  double anomaly = mean;
  for (int k = 0; k < 50; ++k) anomaly = mean + e * std::sin(anomaly);
  const double axis = std::cbrt(1 + m), x = axis * (std::cos(anomaly) - e),
               y = axis * std::sqrt(1 - e * e) * std::sin(anomaly);
  simulation<double> s(where(), kepler<double>(m, e), {}, integrator::hermite, mean / 500);
  s.step(500);
  const bodies<double>& b = s.state();
  EXPECT_NEAR(b.x[1] - b.x[0], x, 1e-8);
  EXPECT_NEAR(b.y[1] - b.y[0], y, 1e-8);
}

// A. Chenciner, R. Montgomery, 2000: three equal bodies chase each other along an eight.
TEST_P(NbodyOn, TheFigureEightCloses) {
  if (!has_f64()) GTEST_SKIP() << "no f64";
  bodies<double> b;
  b.resize(3);
  const double x = 0.97000436, y = -0.24308753, vx = -0.93240737, vy = -0.86473146, period = 6.32591398;
  b.mass = {1, 1, 1};
  b.x = {x, -x, 0}, b.y = {y, -y, 0};
  b.vx = {-vx / 2, -vx / 2, vx}, b.vy = {-vy / 2, -vy / 2, vy};
  simulation<double> s(where(), b, {.dimensions = 2}, integrator::hermite, period / 2000);
  s.step(2000);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(s.state().x[i], b.x[i], 1e-6);
    EXPECT_NEAR(s.state().y[i], b.y[i], 1e-6);
    EXPECT_EQ(s.state().z[i], 0);
  }
}

TEST_P(NbodyOn, KeepsEnergyAndMomenta) {
  simulation<float> s(where(), plummer<float>(256), {.softening = 0.05}, integrator::leapfrog, 1.0 / 64);
  const invariants before = s.measure();
  EXPECT_NEAR(before.energy(), -0.147, 0.03);  // -3π/64, less what the softening takes
  s.step(200);
  const invariants after = s.measure();
  EXPECT_LE(std::abs(after.energy() / before.energy() - 1), 5e-4);
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(after.momentum[a], before.momentum[a], 1e-5);
    EXPECT_NEAR(after.angular[a], before.angular[a], 1e-4);
  }
}

TEST_P(NbodyOn, ShortensItsStepsWhereBodiesMeet) {
  if (!has_f64()) GTEST_SKIP() << "no f64";
  const bodies<double> start = kepler<double>(1, 0.9);
  simulation<double> s(where(), start, {}, integrator::hermite, 0.1, 0.02);
  const double energy = s.measure().energy();
  double longest = 0, shortest = 1;
  while (s.time() < 2 * std::numbers::pi) {
    s.step();
    longest = std::max(longest, s.dt()), shortest = std::min(shortest, s.dt());
    ASSERT_LT(s.steps(), 20000u);
  }
  EXPECT_GT(longest, 5 * shortest);
  EXPECT_NEAR(s.measure().energy() / energy, 1, 1e-6);
}

TEST_P(NbodyOn, GoesOnBitForBitFromACheckpoint) {
  for (const integrator how : {integrator::euler, integrator::leapfrog, integrator::hermite}) {
    simulation<float> s(where(), plummer<float>(200), {.softening = 0.05, .theta = 0.7}, how, 0.01,
                        how == integrator::euler ? 0 : 0.05);
    s.step(5);
    const std::vector<std::byte> file = s.checkpoint();
    simulation<float> other = simulation<float>::resume(where(), file);
    EXPECT_EQ(other.checkpoint(), file);
    s.step(7), other.step(7);
    EXPECT_EQ(s.checkpoint(), other.checkpoint());
    EXPECT_EQ(other.steps(), 12u);
    EXPECT_EQ(other.parameters().theta, 0.7);
  }
}

TEST_P(NbodyOn, TakesNewRulesWhileItRuns) {
  simulation<float> s(where(), plummer<float>(300), {.softening = 0.05}, integrator::leapfrog, 0.01);
  s.step(2);
  const float before = s.forces().ax[5];
  parameters twice = s.parameters();
  twice.gravity = 2;
  s.set(twice);
  EXPECT_NEAR(s.forces().ax[5], 2 * before, 1e-5 * std::abs(before));
  s.set_dt(0.5);
  s.step();
  EXPECT_EQ(s.dt(), 0.5);
  expect_error(fault::bad_argument, {"step", "0"}, [&] { s.set_dt(0); });
}

TEST_P(NbodyOn, ANamedVariantIsTheOneThatRuns) {
  const bodies<float> b = plummer<float>(100);
  for (const variant& v : catalog()) {
    if (v.what != primitive::nbody || v.where != where().kind()) continue;
    const field_of<float> f(where().with({.variant = v.name}), b, {.softening = 0.1});
    EXPECT_EQ(where().last_algorithm(), v.name);
  }
}

// --- the conformance test

void rightly(device& d, const problem& p) { find_variant("nbody/register-blocked", backend::cpu)->run(d, p); }

// The right results, but for one number of one body.
template <int number>
void almost(device& d, const problem& p) {
  rightly(d, p);
  if (p.n < 2) return;
  const std::uint64_t at = 4 * (p.n / 2) + number;
  if (p.type == dtype::f32)
    p.out.as<float>()[at] = p.out.as<float>()[at] * 1.5f + 1e-3f;
  else
    p.out.as<double>()[at] = NAN;
}

TEST(NbodyConformance, TellsRightFromWrong) {
  tests::expect_passes<problem>(primitive::nbody, rightly);
  tests::expect_caught<problem>(primitive::nbody, almost<3>, "the potential");
  tests::expect_caught<problem>(
      primitive::nbody,
      [](device& d, const problem& p) {
        problem other = p;
        other.gravity.softening = 0;
        rightly(d, other);
      },
      "the acceleration");
}

// --- what is refused

TEST(NbodyRefuses, WhatNoSceneHas) {
  const context cpu = context::cpu(1);
  const auto with = [&](auto change, parameters p = {.softening = 0.1}) {
    bodies<float> b = plummer<float>(10);
    change(b);
    return simulation<float>(cpu, b, p);
  };
  expect_error(fault::bad_argument, {"body 3", "mass", "-1"}, [&] { with([](auto& b) { b.mass[3] = -1; }); });
  expect_error(fault::bad_argument, {"body 4", "mass", "nan"}, [&] { with([](auto& b) { b.mass[4] = NAN; }); });
  expect_error(fault::bad_argument, {"body 5", "nan"}, [&] { with([](auto& b) { b.y[5] = NAN; }); });
  expect_error(fault::bad_argument, {"body 6", "inf"}, [&] { with([](auto& b) { b.z[6] = INFINITY; }); });
  expect_error(fault::bad_argument, {"body 7", "velocities"}, [&] { with([](auto& b) { b.vz[7] = NAN; }); });
  expect_error(fault::bad_argument, {"bodies 2 and 8", "softening"},
               [&] { with([](auto& b) { b.x[8] = b.x[2], b.y[8] = b.y[2], b.z[8] = b.z[2]; }, {}); });
  with([](auto& b) { b.x[8] = b.x[2], b.y[8] = b.y[2], b.z[8] = b.z[2], b.mass[2] = 0; }, {});
  expect_error(fault::bad_argument, {"body 0", "z", "two dimensions"},
               [&] { with([](auto&) {}, {.softening = 1, .dimensions = 2}); });
  expect_error(fault::bad_argument, {"velocities"}, [&] { with([](auto& b) { b.vx.pop_back(); }); });
  expect_error(fault::bad_argument, {"10", "9"}, [&] { with([](auto& b) { b.mass.pop_back(); }); });
}

TEST(NbodyRefuses, RulesThatAreNone) {
  const context cpu = context::cpu(1);
  const bodies<float> b = plummer<float>(10);
  const auto of = [&](parameters p, double dt = 0.1, double adaptive = 0, integrator how = integrator::leapfrog) {
    simulation<float> s(cpu, b, p, how, dt, adaptive);
  };
  expect_error(fault::bad_argument, {"theta", "-0.5"}, [&] { of({.theta = -0.5}); });
  expect_error(fault::bad_argument, {"theta"}, [&] { of({.theta = NAN}); });
  expect_error(fault::bad_argument, {"softening"}, [&] { of({.softening = -1}); });
  expect_error(fault::bad_argument, {"gravity"}, [&] { of({.gravity = INFINITY}); });
  expect_error(fault::bad_argument, {"4 dimensions"}, [&] { of({.dimensions = 4}); });
  expect_error(fault::bad_argument, {"step", "0"}, [&] { of({}, 0); });
  expect_error(fault::bad_argument, {"step"}, [&] { of({}, NAN); });
  expect_error(fault::bad_argument, {"adaptive"}, [&] { of({}, 0.1, -1); });
  expect_error(fault::unsupported, {"hermite"},
               [&] { of({.method = method::barnes_hut}, 0.1, 0, integrator::hermite); });
}

TEST(NbodyRefuses, CheckpointsThatAreNone) {
  const context cpu = context::cpu(1);
  simulation<float> s(cpu, plummer<float>(20), {.softening = 0.1});
  s.step(3);
  const std::vector<std::byte> good = s.checkpoint();
  const auto resume = [&](auto change) {
    std::vector<std::byte> bytes = good;
    change(bytes);
    simulation<float>::resume(cpu, bytes);
  };
  resume([](auto&) {});
  expect_error(fault::bad_argument, {"cut short"}, [&] { resume([](auto& b) { b.resize(b.size() - 1); }); });
  expect_error(fault::bad_argument, {"cut short"}, [&] { resume([](auto& b) { b.resize(9); }); });
  expect_error(fault::bad_argument, {"version 2"}, [&] { resume([](auto& b) { b[16] = std::byte{2}; }); });
  expect_error(fault::bad_argument, {"not a checkpoint"}, [&] { resume([](auto& b) { b[0] = std::byte{'U'}; }); });
  expect_error(fault::bad_argument, {"changed"}, [&] { resume([](auto& b) { b[300] ^= std::byte{1}; }); });
  expect_error(fault::bad_argument, {"f32", "f64"}, [&] { simulation<double>::resume(cpu, good); });
}

}  // namespace
}  // namespace upsweep::nbody
