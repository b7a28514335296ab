// Random numbers of the scenes, from a counter: every body has its own sequence. Additions, multiplications, divisions
// and square roots alone, so that every machine has the same bits (the file is compiled without fused multiply-add).
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "upsweep/conformance/random_samples.hpp"

namespace upsweep::nbody {

struct vec {
  double x = 0, y = 0, z = 0;

  double squared() const { return x * x + y * y + z * z; }
  friend vec operator+(const vec& a, const vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend vec operator*(double f, const vec& a) { return {f * a.x, f * a.y, f * a.z}; }
};

// Newton from a start within a factor of two; the last steps change nothing.
inline double cube_root(double x) {
  if (!(x > 0)) return x;
  int exponent = 0;
  const double m = std::frexp(x, &exponent);
  const int whole = exponent >= 0 ? (exponent + 2) / 3 : exponent / 3;
  const double a = std::ldexp(m, exponent - 3 * whole);  // in [1/8, 1)
  double y = 0.5 + 0.5 * a;
  for (int k = 0; k < 7; ++k) y = (2 * y + a / (y * y)) / 3;
  return std::ldexp(y, whole);
}

class draws {
 public:
  draws(std::uint64_t seed, std::uint64_t body) : key_(mixed(mixed(seed) ^ body)) {}

  double unit() { return upsweep::unit(mixed(key_ + count_++)); }  // [0, 1)
  double between(double low, double high) { return low + (high - low) * unit(); }
  // The sum of twelve uniform numbers: its tails end at six sigma, which limits how far a star may be from the rest.
  double normal() {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += unit();
    return sum;
  }
  vec on_circle() {
    for (;;) {
      const double u = between(-1, 1), v = between(-1, 1), s = u * u + v * v;
      if (s < 1 && s > 1e-12) return 1 / std::sqrt(s) * vec{u, v, 0};
    }
  }
  vec direction() {  // Marsaglia 1972
    for (;;) {
      const double u = between(-1, 1), v = between(-1, 1), s = u * u + v * v;
      if (s < 1) return {2 * u * std::sqrt(1 - s), 2 * v * std::sqrt(1 - s), 1 - 2 * s};
    }
  }
  vec in_ball() {
    for (;;) {
      const vec v{between(-1, 1), between(-1, 1), between(-1, 1)};
      if (v.squared() < 1) return v;
    }
  }

 private:
  std::uint64_t key_, count_ = 0;
};

// Plummer's sphere of scale 1, G = M = 1: the radius that holds a share of the mass, drawn up to `most` of it.
inline double draw_plummer_radius(draws& d, double most) {
  const double share = most * (1 - d.unit()), root = cube_root(share);
  return root / std::sqrt(1 - root * root);  // m = r³ / (1 + r²)^1.5
}

struct plummer_draw {
  double radius, speed;
};
inline plummer_draw draw_plummer(draws& d, double most) {
  const double r = draw_plummer_radius(d, most);
  const double escape = std::sqrt(2 / std::sqrt(1 + r * r));
  // q = v / escape has the density q² (1 - q²)^3.5, which nowhere reaches 0.1.
  for (;;) {
    const double q = d.unit(), y = 0.1 * d.unit(), rest = 1 - q * q;
    if (y < q * q * rest * rest * rest * std::sqrt(rest)) return {r, q * escape};
  }
}

inline double draw_hernquist_radius(draws& d, double most) {
  const double root = std::sqrt(most * (1 - d.unit()));
  return root / (1 - root);  // m = r² / (1 + r)²
}

// Hernquist's f(E), up to a factor, q² = E of 0 to 1. The arcsine decides which draws are taken and is in none of them.
inline double hernquist_density(double q) {
  const double q2 = q * q, rest = 1 - q2;
  if (!(rest > 0)) return 0;
  return (3 * std::asin(q) + q * std::sqrt(rest) * (1 - 2 * q2) * (8 * q2 * q2 - 8 * q2 - 3)) /
         (rest * rest * std::sqrt(rest));
}

inline double draw_hernquist_speed(draws& d, double r) {
  // f rises with E, so v² f(E) is nowhere more than escape² f at rest: the bound of the rejection.
  const double depth = 1 / (1 + r), escape2 = 2 * depth, at_rest = hernquist_density(std::sqrt(depth));
  for (;;) {
    const double v2_share = d.unit(), v = std::sqrt(v2_share * escape2);
    // A share drawn evenly in v² has the density v; v² f needs another factor v.
    const double energy = depth * (1 - v2_share);
    if (d.unit() * at_rest < std::sqrt(v2_share) * hernquist_density(std::sqrt(energy))) return v;
  }
}

}  // namespace upsweep::nbody
