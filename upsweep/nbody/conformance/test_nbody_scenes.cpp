// The scenes: the same for the same seed, at rest as a whole, in the balance they claim, and on the orbits they are
// known for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "upsweep/error.hpp"
#include "upsweep/nbody/nbody_random.hpp"
#include "upsweep/nbody/nbody_scenes.hpp"

namespace {

using namespace upsweep;
using nbody::bodies;
using nbody::made_scene;
using nbody::scene;

double energy_of_motion(const bodies<double>& b) {
  double k = 0;
  for (std::size_t i = 0; i < b.size(); ++i)
    k += 0.5 * b.mass[i] * (b.vx[i] * b.vx[i] + b.vy[i] * b.vy[i] + b.vz[i] * b.vz[i]);
  return k;
}

double distance(const bodies<double>& b, std::size_t i, std::size_t j) {
  return std::hypot(b.x[i] - b.x[j], b.y[i] - b.y[j], b.z[i] - b.z[j]);
}

double energy_of_place(const scene& s) {
  double w = 0;
  for (std::size_t i = 0; i < s.start.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) w -= s.gravity * s.start.mass[i] * s.start.mass[j] / distance(s.start, i, j);
  return w;
}

TEST(nbody_scenes, the_same_seed_is_the_same_scene) {
  for (const nbody::scene_listing& l : nbody::scene_list()) {
    const std::uint64_t n = l.fixed ? 0 : 300;
    const scene a = made_scene(l.name, n, 5), b = made_scene(l.name, n, 5), c = made_scene(l.name, n, 6);
    EXPECT_EQ(a.start.x, b.start.x) << l.name;
    EXPECT_EQ(a.start.vy, b.start.vy) << l.name;
    EXPECT_EQ(a.start.mass, b.start.mass) << l.name;
    EXPECT_EQ(a.looks, b.looks) << l.name;
    EXPECT_EQ(a.start.x != c.start.x, !l.fixed) << l.name;
    EXPECT_EQ(a.start.size(), l.fixed ? l.bodies : n);
    EXPECT_EQ(a.looks.size(), a.start.size());
    nbody::require_bodies(a.start, a.laws());
    EXPECT_EQ(made_scene(l.name).start.size(), l.bodies);
  }
}

// The first body's bits, as every machine is to have them.
TEST(nbody_scenes, the_same_bits_on_every_machine) {
  const auto bits = [](double x) {
    std::uint64_t u;
    std::memcpy(&u, &x, sizeof u);
    return u;
  };
  std::uint64_t h = 0;
  for (const char* name : {"plummer", "sphere", "cube", "disk", "collision"}) {
    const scene s = made_scene(name, 64, 1);
    for (std::size_t i = 0; i < 64; ++i) h = mixed(h ^ bits(s.start.x[i]) ^ mixed(bits(s.start.vy[i])));
  }
  EXPECT_EQ(h, 0x46d3b5705e9633eeull) << "0x" << std::hex << h;
}

TEST(nbody_scenes, rest_as_a_whole) {
  for (const nbody::scene_listing& l : nbody::scene_list()) {
    const scene s = made_scene(l.name, l.fixed ? 0 : 1000, 3);
    double p[6]{}, scale = 0;
    const bodies<double>& b = s.start;
    for (std::size_t i = 0; i < b.size(); ++i) {
      const double v[6]{b.x[i], b.y[i], b.z[i], b.vx[i], b.vy[i], b.vz[i]};
      for (int k = 0; k < 6; ++k) p[k] += b.mass[i] * v[k];
      scale += b.mass[i];
    }
    for (const double sum : p) EXPECT_LE(std::abs(sum / scale), 1e-12) << l.name;
  }
}

TEST(nbody_scenes, balance) {
  struct claim {
    const char* name;
    double ratio, within;  // 2 K / |W|
  };
  for (const auto& [name, ratio, within] : {claim{"plummer", 1, 0.05}, claim{"hernquist", 1, 0.08},
                                            claim{"sphere", 0.2, 0.01}, claim{"cube", 0, 0}, claim{"disk", 1, 0.12}}) {
    const scene s = made_scene(name, 3000, 1);
    EXPECT_LE(std::abs(2 * energy_of_motion(s.start) / -energy_of_place(s) - ratio), within) << name;
  }
  const scene plummer = made_scene("plummer", 3000, 2);
  EXPECT_LE(std::abs(energy_of_motion(plummer.start) + energy_of_place(plummer) + 0.25), 0.01);
}

// Half the mass of each sphere is within its known radius.
TEST(nbody_scenes, half_mass_radii) {
  const auto half = [](const scene& s) {
    std::vector<double> r(s.start.size());
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::hypot(s.start.x[i], s.start.y[i], s.start.z[i]);
    std::ranges::nth_element(r, r.begin() + static_cast<std::ptrdiff_t>(r.size() / 2));
    return r[r.size() / 2];
  };
  const double a = 3 * std::numbers::pi / 16;
  EXPECT_NEAR(half(made_scene("plummer", 20000)), 1.3048 * a, 0.02);
  const double root = std::sqrt(0.5 * 0.95);  // of the mass within the cut at 95 %
  EXPECT_NEAR(half(made_scene("hernquist", 20000)), root / (1 - root), 0.06);
  EXPECT_NEAR(half(made_scene("sphere", 20000)), std::cbrt(0.5), 0.01);
}

TEST(nbody_scenes, galaxies_turn) {
  const scene s = made_scene("disk", 4000, 1);
  double turning = 0, most = 0;
  std::size_t stars = 0;
  for (std::size_t i = 0; i < s.start.size(); ++i) {
    if (s.looks[i] != nbody::look::cool) continue;
    ++stars;
    turning += s.start.x[i] * s.start.vy[i] - s.start.y[i] * s.start.vx[i];
    most += std::hypot(s.start.x[i], s.start.y[i]) * std::hypot(s.start.vx[i], s.start.vy[i]);
  }
  EXPECT_EQ(stars, 2000u);
  EXPECT_GT(turning, 0.8 * most);
}

TEST(nbody_scenes, the_planets_years) {
  const scene s = made_scene("solar-system");
  const double days[]{87.969, 224.701, 365.256, 686.980, 4332.6, 10759.2, 30688.5, 60182, 90560};
  for (std::size_t k = 1; k < s.start.size(); ++k) {
    const double r = distance(s.start, k, 0), m = s.gravity * (s.start.mass[0] + s.start.mass[k]);
    const double v2 = std::pow(s.start.vx[k] - s.start.vx[0], 2) + std::pow(s.start.vy[k] - s.start.vy[0], 2) +
                      std::pow(s.start.vz[k] - s.start.vz[0], 2);
    const double axis = 1 / (2 / r - v2 / m), year = 2 * std::numbers::pi * std::sqrt(axis * axis * axis / m);
    EXPECT_NEAR(year / days[k - 1], 1, 0.004) << k;
  }
  const double earth = distance(s.start, 3, 0);  // early in January the Earth is nearest
  EXPECT_NEAR(earth, 0.9833, 0.0005);
  const scene belt = made_scene("solar-system", 500);
  for (std::size_t k = 10; k < 500; ++k) {
    EXPECT_EQ(belt.start.mass[k], 0);
    EXPECT_LE(std::abs(distance(belt.start, k, 0) - 2.7), 1.4);
  }
}

TEST(nbody_scenes, cube_roots) {
  for (const double x : {1e-300, 1e-9, 0.124, 0.125, 0.5, 1.0, 1.1, 7.9, 8.0, 27.0, 1e18})
    EXPECT_LE(std::abs(nbody::cube_root(x) / std::cbrt(x) - 1), 4e-16) << x;
}

TEST(nbody_scenes, refusals) {
  EXPECT_THROW(made_scene("galaxy"), error);
  EXPECT_THROW(made_scene("collision", 5), error);
  EXPECT_THROW(made_scene("figure-eight", 4), error);
  try {
    made_scene("plumer");
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("plummer"), std::string::npos) << e.what();
  }
}

}  // namespace
