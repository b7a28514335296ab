// Options of `upsweep nbody`, for runs in a terminal and in a browser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/nbody/motion.hpp"
#include "cli/options.hpp"

struct nbody_options {
  std::string scene = "collision";
  bool scene_given = false;
  std::uint64_t bodies = 0, seed = 1, steps = 0;
  bool steps_given = false;
  device_options where;
  std::string method = "automatic", part = "automatic", integrator = "leapfrog", type, memory;
  std::optional<double> dt, softening, gravity, theta, criterion, adaptive;
  int dimensions = 0;
  bool monopoles = false, compensated = false;

  std::string video, frames, trajectory, checkpoint, resume, size = "1280x720", camera, queue = "1G";
  std::uint64_t every = 0, sample = 1;
  std::uint32_t rate = 30;
  double turn = 0;

  bool errors = false;
  std::vector<double> thetas{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0};
  std::uint64_t judged = 1024;
  std::uint32_t repeats = 5;
  std::string json;

  bool view = false;
  std::uint16_t port = 0;
  std::string token;
  std::vector<std::string> compare;
};

// The scene of the options, and its settings.
upsweep::nbody::scene scene_of(const nbody_options&);
nbody_settings settings_of(const nbody_options&, const upsweep::nbody::scene&);
std::string settings_text(const nbody_settings&);  // "barnes-hut, leapfrog, f32"

// Runs the simulation with all outputs, and prints the drift of energy and momentum.
void run_bodies(const nbody_options&);
// Prints the errors of the tree's accelerations compared with all pairs, and their costs, over opening angles.
void measure_force_errors(const nbody_options&);
// Serves the page until the process ends.
void view_bodies(const nbody_options&);
extern const bool have_view;
