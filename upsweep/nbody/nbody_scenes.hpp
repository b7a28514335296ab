// Initial bodies: models of the literature, generated at random from a seed, and known systems.
//
//   auto s = upsweep::nbody::made_scene("plummer", 4096, 1);
//   upsweep::nbody::simulation<double> run(cpu, s.start, s.laws(), upsweep::nbody::integrator::leapfrog, s.dt);
//
// A body's place and speed depend on the seed and on the body's number alone, never on the number of threads. The
// random scenes use additions, multiplications, divisions and square roots only, which IEEE 754 rounds the same
// everywhere: the same seed is the same scene on every machine. Total momentum and the centre of mass are 0 up to
// rounding.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/nbody.hpp"

namespace upsweep::nbody {

// How a viewer draws a body. It does not affect the motion.
enum class look : std::uint8_t {
  warm,    // a star of the first galaxy, or of none
  cool,    // a star of the second galaxy
  bulge,   // old stars in the middle
  dark,    // is felt and not seen
  planet,  // drawn large
  pebble,  // drawn small: an asteroid
};

struct scene {
  std::string name;
  std::string units;  // of length, mass and time
  bodies<double> start;
  std::vector<look> looks;  // one a body
  double gravity = 1, softening = 0;
  double dt = 0.01;      // a leapfrog step that follows this scene
  double reach = 1;      // half the side of a square that shows it
  double duration = 10;  // of the interesting part, in the scene's time
  int dimensions = 3;

  parameters laws() const;
};

struct scene_listing {
  std::string_view name;
  std::string_view what;
  std::uint64_t bodies;  // the default number
  std::uint64_t fewest;
  bool fixed;  // has that many and no others
};

//   plummer       Plummer's sphere in equilibrium, in the units of Heggie and Mathieu 1986: G = M = 1, E = -1/4.
//                 Source: Aarseth, Hénon and Wielen 1974.
//   hernquist     Hernquist's sphere in equilibrium, G = M = a = 1, its speeds from the distribution function.
//                 Source: Hernquist 1990.
//   sphere        a uniform sphere, R = M = 1, 2K / |W| = 0.2: it collapses and rebounds.
//   cube          a uniform cube of side 2 at rest: it collapses, edges first.
//   disk          a galaxy: Kuzmin's disk, warm by Toomre's criterion, a bulge (Hernquist) and a dark halo (Plummer),
//                 these two by Jeans' equations. Source of the procedure: Hernquist 1993.
//   collision     two such galaxies on a long orbit, one turning with it and one across, as in Toomre and Toomre 1972.
//   solar-system  the Sun, eight planets and Pluto (the Moon and the Earth as one) from their mean elements of J2000 in
//                 au, solar masses and days; more bodies are asteroids without mass. Source: Standish 1992.
//   figure-eight  three equal masses on one curve. Source: Chenciner and Montgomery 2000; the digits were refined here
//                 until the orbit closes to 1e-15.
std::span<const scene_listing> scene_list();

// `n` 0: as many as the listing says. An unknown name throws, with the list; so do fewer bodies than the scene needs,
// and any other number for one that is fixed.
scene made_scene(std::string_view name, std::uint64_t n = 0, std::uint64_t seed = 1);

inline constexpr double figure_eight_period = 6.32591400978214;

// Chooses a softening, a step and a reach for bodies from a file, whose units are not known: from how far apart the
// bodies are and how fast they fall.
void suit(scene&);

}  // namespace upsweep::nbody
