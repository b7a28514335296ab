#include "upsweep/nbody/nbody_scenes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/error.hpp"
#include "upsweep/nbody/nbody_random.hpp"

namespace upsweep::nbody {

namespace {

constexpr std::uint64_t grain = 4096;

struct particle {
  vec at, speed;
};

void put(bodies<double>& b, std::size_t i, const particle& p, double mass) {
  b.x[i] = p.at.x, b.y[i] = p.at.y, b.z[i] = p.at.z;
  b.vx[i] = p.speed.x, b.vy[i] = p.speed.y, b.vz[i] = p.speed.z;
  b.mass[i] = mass;
}

scene empty_scene(std::string_view name, std::uint64_t n) {
  scene s;
  s.name = name;
  s.units = "G = M = 1";
  s.start.resize(n);
  s.looks.assign(n, look::warm);
  return s;
}

// The centre of mass comes to rest at the origin.
void centre(bodies<double>& b) {
  double m = 0, sum[6]{};
  const std::array<std::vector<double>*, 6> all{&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz};
  for (std::size_t i = 0; i < b.size(); ++i) {
    m += b.mass[i];
    for (std::size_t k = 0; k < 6; ++k) sum[k] += b.mass[i] * (*all[k])[i];
  }
  if (!(m > 0)) return;
  for (std::size_t k = 0; k < 6; ++k)
    for (double& v : *all[k]) v -= sum[k] / m;
}

// The mean distance of neighbours shrinks with the cube root of n. A softening of a fraction of it keeps close pairs
// from scattering more than the bodies that they represent.
double softening_for(std::uint64_t n, double size) {
  return 0.5 * size / cube_root(static_cast<double>(std::max<std::uint64_t>(n, 8)));
}

scene plummer(std::uint64_t n, std::uint64_t seed) {
  scene s = empty_scene("plummer", n);
  const double a = 3 * std::numbers::pi / 16;
  cpu::for_each_piece(n, grain, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      draws d(seed, i);
      const plummer_draw p = draw_plummer(d, 0.999);
      put(s.start, i, {p.radius * a * d.direction(), p.speed / std::sqrt(a) * d.direction()},
          1 / static_cast<double>(n));
    }
  });
  centre(s.start);
  s.softening = softening_for(n, a);
  s.dt = 0.25 * s.softening;
  s.reach = 2.2;
  s.duration = 20 * std::numbers::sqrt2;
  return s;
}

scene hernquist(std::uint64_t n, std::uint64_t seed) {
  scene s = empty_scene("hernquist", n);
  cpu::for_each_piece(n, grain, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      draws d(seed, i);
      const double r = draw_hernquist_radius(d, 0.95);
      put(s.start, i, {r * d.direction(), draw_hernquist_speed(d, r) * d.direction()}, 1 / static_cast<double>(n));
    }
  });
  centre(s.start);
  s.softening = softening_for(n, 0.5);
  s.dt = 0.25 * s.softening;
  s.reach = 4;
  s.duration = 40;
  return s;
}

scene sphere(std::uint64_t n, std::uint64_t seed) {
  scene s = empty_scene("sphere", n);
  // |W| = 3/5, and speeds spread evenly over a ball of radius u have K = 3/10 u².
  const double u = std::sqrt(0.2);
  cpu::for_each_piece(n, grain, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      draws d(seed, i);
      const vec at = d.in_ball();
      put(s.start, i, {at, u * d.in_ball()}, 1 / static_cast<double>(n));
    }
  });
  centre(s.start);
  s.softening = softening_for(n, 1);
  s.dt = 0.1 * s.softening;
  s.reach = 1.6;
  s.duration = 6;
  return s;
}

scene cube(std::uint64_t n, std::uint64_t seed) {
  scene s = empty_scene("cube", n);
  cpu::for_each_piece(n, grain, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      draws d(seed, i);
      const double x = d.between(-1, 1), y = d.between(-1, 1), z = d.between(-1, 1);
      put(s.start, i, {{x, y, z}, {}}, 1 / static_cast<double>(n));
    }
  });
  centre(s.start);
  s.softening = softening_for(n, 1.2);
  s.dt = 0.1 * s.softening;
  s.reach = 2;
  s.duration = 8;
  return s;
}

// Three parts on one centre, in units of the disk's scale and mass.
struct galaxy {
  static constexpr double disk = 1, bulge = 0.3, halo = 4;                    // masses
  static constexpr double bulge_scale = 0.25, halo_scale = 4, height = 0.08;  // of the disk's
  // The parts are cut off where they hold these shares of their masses: the disk at a radius of 6.
  static constexpr double disk_held = 1 - 1 / 6.082762530298219, bulge_held = 0.9, halo_held = 0.9;  // 1 - 1 / sqrt(37)
  static constexpr double total = disk * disk_held + bulge * bulge_held + halo * halo_held;
  static constexpr double toomre = 1.3;

  // dΦ/dR / R in the disk's plane, part by part.
  static double squared_rate(double r) {
    const double d = r * r + 1, h = r * r + halo_scale * halo_scale, b = r + bulge_scale;
    return disk / (d * std::sqrt(d)) + bulge / (std::max(r, 1e-6) * b * b) + halo / (h * std::sqrt(h));
  }
  // The mass within r, the disk as if it were a sphere.
  static double within(double r) {
    const double d = std::sqrt(r * r + 1), h = r * r + halo_scale * halo_scale, b = r + bulge_scale;
    return disk * (1 - 1 / d) + bulge * r * r / (b * b) + halo * r * r * r / (h * std::sqrt(h));
  }
  static double bulge_density(double r) {
    const double b = r + bulge_scale;
    return bulge * bulge_scale / (2 * std::numbers::pi * std::max(r, 1e-6) * b * b * b);
  }
  static double halo_density(double r) {
    const double h = 1 + r * r / (halo_scale * halo_scale);
    return 3 * halo / (4 * std::numbers::pi * halo_scale * halo_scale * halo_scale * h * h * std::sqrt(h));
  }
};

// Jeans' equation without rotation: σ²(r) = 1/ρ ∫ from r of ρ M / r² dr, by the trapezoid over r = t / (1 - t).
class jeans {
 public:
  template <class Density>
  explicit jeans(const Density& density) {
    double sum = 0, above = 0, r_above = radius(points - 1);
    for (int k = points - 1; k > 0; --k) {
      const double r = radius(k), rho = density(r), here = rho * galaxy::within(r) / (r * r);
      if (k < points - 1) sum += 0.5 * (here + above) * (r_above - r);
      squared_[k] = sum / rho;
      above = here, r_above = r;
    }
    squared_[0] = squared_[1];
  }
  double sigma(double r) const {
    const double t = r / (1 + r) * points;
    const int k = std::clamp(static_cast<int>(t), 0, points - 2);
    const double share = std::clamp(t - k, 0.0, 1.0);
    return std::sqrt(squared_[k] + share * (squared_[k + 1] - squared_[k]));
  }

 private:
  static constexpr int points = 512;
  static double radius(int k) { return static_cast<double>(k) / (points - k); }
  std::array<double, points> squared_{};
};

particle disk_star(draws& d) {
  const double left = 1 - d.between(0, galaxy::disk_held), r = std::sqrt(1 / (left * left) - 1);
  const vec out = d.on_circle(), along{-out.y, out.x, 0};
  const double rate = galaxy::squared_rate(r), step = 1e-3 * (r + 0.1);
  const double slope = (galaxy::squared_rate(r + step) - rate) / step;
  const double kappa = std::sqrt(std::max(4 * rate + r * slope, rate));  // epicycles: κ² = 4 Ω² + R dΩ²/dR
  const double d2 = r * r + 1, density = galaxy::disk / (2 * std::numbers::pi * d2 * std::sqrt(d2));
  const double circular2 = rate * r * r;
  // Toomre's Q, held below the circular speed in the middle.
  const double sigma = std::min(galaxy::toomre * 3.36 * density / kappa, 0.4 * std::sqrt(circular2) + 0.02);
  const double ratio = kappa * kappa / (4 * rate);
  // The faster they move across, the slower they turn. Σ σ² falls about as the density's square does.
  const double turning2 = circular2 + sigma * sigma * (1 - ratio - 6 * r * r / d2);
  const double turning = std::sqrt(std::max(turning2, 0.3 * circular2));
  const double lift = std::sqrt(std::numbers::pi * density * galaxy::height);
  return {r * out + vec{0, 0, galaxy::height * d.normal()},
          sigma * d.normal() * out + (turning + sigma * std::sqrt(ratio) * d.normal()) * along +
              vec{0, 0, lift * d.normal()}};
}

particle round_star(draws& d, double r, double sigma) {
  // Above 0.95 of the escape speed from the galaxy, taken as a point mass, the body would leave the galaxy.
  const double most2 = 0.9 * 2 * galaxy::total / std::sqrt(r * r + galaxy::halo_scale * galaxy::halo_scale);
  vec v;
  do v = {sigma * d.normal(), sigma * d.normal(), sigma * d.normal()};
  while (!(v.squared() < most2));
  return {r * d.direction(), v};
}

// Of ten bodies the disk has five, the bulge one and the halo four, with different masses.
void put_galaxy(scene& s, std::uint64_t first, std::uint64_t n, std::uint64_t seed, look stars,
                const std::array<vec, 3>& axes, const particle& orbit) {
  static const jeans bulge(galaxy::bulge_density), halo(galaxy::halo_density);
  const auto disk_count = std::max<std::uint64_t>(n / 2, 1), bulge_count = std::max<std::uint64_t>(n / 10, 1);
  const std::uint64_t halo_count = n - disk_count - bulge_count;
  const auto turned = [&](const vec& v) { return v.x * axes[0] + v.y * axes[1] + v.z * axes[2]; };
  cpu::for_each_piece(n, grain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      draws d(seed, first + i);
      particle p;
      double mass;
      look l = stars;
      if (i < disk_count) {
        p = disk_star(d);
        mass = galaxy::disk * galaxy::disk_held / static_cast<double>(disk_count);
      } else if (i < disk_count + bulge_count) {
        const double r = galaxy::bulge_scale * draw_hernquist_radius(d, galaxy::bulge_held);
        p = round_star(d, r, bulge.sigma(r));
        mass = galaxy::bulge * galaxy::bulge_held / static_cast<double>(bulge_count);
        l = look::bulge;
      } else {
        const double r = galaxy::halo_scale * draw_plummer_radius(d, galaxy::halo_held);
        p = round_star(d, r, halo.sigma(r));
        mass = galaxy::halo * galaxy::halo_held / static_cast<double>(halo_count);
        l = look::dark;
      }
      put(s.start, first + i, {turned(p.at) + orbit.at, turned(p.speed) + orbit.speed}, mass);
      s.looks[first + i] = l;
    }
  });
}

scene disk(std::uint64_t n, std::uint64_t seed) {
  scene s = empty_scene("disk", n);
  s.units = "G = 1, the disk's mass and scale 1";
  put_galaxy(s, 0, n, seed, look::cool, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {});
  centre(s.start);
  s.softening = 0.08;
  s.dt = 0.04;
  s.reach = 6;
  s.duration = 40;
  return s;
}

scene collision(std::uint64_t n, std::uint64_t seed) {
  scene s = empty_scene("collision", n);
  s.units = "G = 1, a disk's mass and scale 1";
  // A bound orbit of pericentre q, entered at distance r with 0.6 of the squared speed of a parabola there, so that the
  // galaxies come back: v² / 2 - M / r = (L / q)² / 2 - M / q, with M the sum of both masses.
  constexpr double mass = 2 * galaxy::total, q = 2, r = 11;
  const double v2 = 0.6 * 2 * mass / r, across = q * std::sqrt(v2 + 2 * mass / q - 2 * mass / r) / r;
  const double inward = std::sqrt(v2 - across * across);
  const vec at{0.5 * r, 0, 0}, speed{-0.5 * inward, 0.5 * across, 0};
  const std::uint64_t half = n / 2;
  // The first galaxy turns with the orbit, tilted by an angle of a 7-24-25 triangle; the second is perpendicular to it,
  // by 5-12-13 and 3-4-5.
  put_galaxy(s, 0, half, seed, look::warm, {{{0.96, 0, -0.28}, {0, 1, 0}, {0.28, 0, 0.96}}}, {at, speed});
  const double c = 5.0 / 13, t = 12.0 / 13;
  put_galaxy(s, half, n - half, seed, look::cool, {{{0.6, 0.8, 0}, {-0.8 * c, 0.6 * c, t}, {0.8 * t, -0.6 * t, c}}},
             {-1.0 * at, -1.0 * speed});
  centre(s.start);
  s.softening = 0.08;
  s.dt = 0.05;
  s.reach = 9;
  s.duration = 25;
  return s;
}

struct orbit {
  double sun_per_mass, axis, eccentricity, inclination, longitude, perihelion, node;  // au, degrees
};
// Standish's elements at J2000 for 1800 to 2050; masses are fractions of the solar mass.
constexpr orbit planets[]{{6023600, 0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593},
                          {408523.71, 0.72333566, 0.00677672, 3.39467605, 181.97909950, 131.60246718, 76.67984255},
                          {328900.56, 1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0},
                          {3098708, 1.52371034, 0.09339410, 1.84969142, -4.55343205, -23.94362959, 49.55953891},
                          {1047.3486, 5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909},
                          {3497.898, 9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448},
                          {22902.98, 19.18916464, 0.04725744, 0.77263783, 313.23810451, 170.95427630, 74.01692503},
                          {19412.24, 30.06992276, 0.00859048, 1.77004347, -55.12002969, 44.96476227, 131.78422574},
                          {1.352e8, 39.48211675, 0.24882730, 17.14001206, 238.92903833, 224.06891629, 110.30393684}};
constexpr double gauss_squared = 0.01720209895 * 0.01720209895;  // G in au³ / (solar mass · day²)

particle on_orbit(const orbit& o, double mass) {
  constexpr double degree = std::numbers::pi / 180;
  const double e = o.eccentricity, mean = std::remainder((o.longitude - o.perihelion) * degree, 2 * std::numbers::pi);
  double eccentric = mean + e * std::sin(mean);
  for (int k = 0; k < 20; ++k)  // Newton on Kepler's equation
    eccentric -= (eccentric - e * std::sin(eccentric) - mean) / (1 - e * std::cos(eccentric));
  const double sine = std::sin(eccentric), cosine = std::cos(eccentric), flat = std::sqrt(1 - e * e);
  const double rate = std::sqrt(gauss_squared * (1 + mass) / (o.axis * o.axis * o.axis)) / (1 - e * cosine);
  const vec at{o.axis * (cosine - e), o.axis * flat * sine, 0};
  const vec speed{-o.axis * rate * sine, o.axis * rate * flat * cosine, 0};
  const double w = (o.perihelion - o.node) * degree, node = o.node * degree, tilt = o.inclination * degree;
  const double cw = std::cos(w), sw = std::sin(w), cn = std::cos(node), sn = std::sin(node), ct = std::cos(tilt),
               st = std::sin(tilt);
  const vec p{cw * cn - sw * sn * ct, cw * sn + sw * cn * ct, sw * st};
  const vec r{-sw * cn - cw * sn * ct, -sw * sn + cw * cn * ct, cw * st};
  return {at.x * p + at.y * r, speed.x * p + speed.y * r};
}

scene solar_system(std::uint64_t n, std::uint64_t seed) {
  scene s = empty_scene("solar-system", n);
  s.units = "au, solar masses, days";
  s.gravity = gauss_squared;
  put(s.start, 0, {}, 1);
  constexpr std::uint64_t known = 1 + std::size(planets);
  for (std::size_t k = 0; k < std::size(planets); ++k) {
    const double mass = 1 / planets[k].sun_per_mass;
    put(s.start, k + 1, on_orbit(planets[k], mass), mass);
    s.looks[k + 1] = look::planet;
  }
  s.looks[0] = look::bulge;
  for (std::uint64_t i = known; i < n; ++i) {
    draws d(seed, i);
    const orbit o{0,
                  d.between(2.1, 3.3),
                  d.between(0, 0.2),
                  d.between(0, 15),
                  d.between(0, 360),
                  d.between(0, 360),
                  d.between(0, 360)};
    put(s.start, i, on_orbit(o, 0), 0);
    s.looks[i] = look::pebble;
  }
  centre(s.start);
  s.softening = 0;
  s.dt = 0.5;
  s.reach = n > known ? 7 : 32;
  s.duration = 4332.6;  // Jupiter's year
  return s;
}

scene figure_eight(std::uint64_t, std::uint64_t) {
  scene s = empty_scene("figure-eight", 3);
  s.units = "G = 1, three masses of 1";
  const vec at{0.97000436, -0.24308753, 0}, speed{-0.932407368139079, -0.864731461834953, 0};
  put(s.start, 0, {at, -0.5 * speed}, 1);
  put(s.start, 1, {-1.0 * at, -0.5 * speed}, 1);
  put(s.start, 2, {{}, speed}, 1);
  s.looks.assign(3, look::planet);
  s.dt = figure_eight_period / 2000;
  s.reach = 1.4;
  s.duration = figure_eight_period;
  s.dimensions = 2;
  return s;
}

using maker = scene (*)(std::uint64_t, std::uint64_t);
constexpr scene_listing listings[]{
    {"plummer", "Plummer's sphere, in equilibrium", 4096, 2, false},
    {"hernquist", "Hernquist's sphere, in equilibrium", 4096, 2, false},
    {"sphere", "a uniform sphere, cold: it collapses and rebounds", 4096, 2, false},
    {"cube", "a uniform cube at rest: it collapses", 4096, 2, false},
    {"disk", "a rotating disk with a bulge in a dark halo", 10000, 16, false},
    {"collision", "two galaxies collide", 20000, 32, false},
    {"solar-system", "the Sun, the planets and Pluto at J2000; more bodies are asteroids", 10, 10, false},
    {"figure-eight", "three bodies chase each other on one curve", 3, 3, true},
};
constexpr maker makers[]{plummer, hernquist, sphere, cube, disk, collision, solar_system, figure_eight};
static_assert(std::size(listings) == std::size(makers));

}  // namespace

parameters scene::laws() const {
  parameters p;
  p.gravity = gravity;
  p.softening = softening;
  p.dimensions = dimensions;
  return p;
}

std::span<const scene_listing> scene_list() { return listings; }

scene made_scene(std::string_view name, std::uint64_t n, std::uint64_t seed) {
  const auto* const found = std::ranges::find(listings, name, &scene_listing::name);
  const std::string where = "scene '" + std::string(name) + "'";
  if (found == std::end(listings)) {
    std::string names;
    for (const scene_listing& l : listings) names += (names.empty() ? "" : ", ") + std::string(l.name);
    throw error(fault::bad_argument, where, "it is not known", "there are " + names);
  }
  if (n == 0) n = found->bodies;
  if (n < found->fewest || (found->fixed && n != found->bodies))
    throw error(fault::bad_argument, where,
                "it has " + std::string(found->fixed ? "" : "at least ") + std::to_string(found->fewest) +
                    " bodies, not " + std::to_string(n),
                "give another number of bodies");
  return makers[found - listings](n, seed);
}

void suit(scene& s) {
  const bodies<double>& b = s.start;
  const std::size_t n = b.size();
  if (n == 0) return;
  double mass = 0, middle[3]{};
  for (std::size_t i = 0; i < n; ++i) {
    mass += b.mass[i];
    middle[0] += b.x[i] / static_cast<double>(n);
    middle[1] += b.y[i] / static_cast<double>(n);
    middle[2] += b.z[i] / static_cast<double>(n);
  }
  std::vector<double> far(n);
  bool flat = true;
  for (std::size_t i = 0; i < n; ++i) {
    far[i] = std::hypot(b.x[i] - middle[0], b.y[i] - middle[1], b.z[i] - middle[2]);
    flat = flat && b.z[i] == 0 && b.vz[i] == 0;
  }
  // Nine bodies of ten are shown; the rest may be far away.
  const auto tenth = far.begin() + static_cast<std::ptrdiff_t>((n - 1) * 9 / 10),
             half = far.begin() + static_cast<std::ptrdiff_t>((n - 1) / 2);
  std::ranges::nth_element(far, tenth);
  s.reach = *tenth > 0 ? 1.5 * *tenth : 1;
  std::ranges::nth_element(far, half);
  const double size = *half > 0 ? *half : s.reach;
  s.softening = n > 64 ? softening_for(n, size) : 0;
  const double fall = mass > 0 && s.gravity > 0 ? std::sqrt(size * size * size / (s.gravity * mass)) : 1;
  s.dt = fall * std::min(0.01, 0.2 * softening_for(n, 1));
  s.duration = 20 * fall;
  s.dimensions = flat ? 2 : 3;
}

}  // namespace upsweep::nbody
