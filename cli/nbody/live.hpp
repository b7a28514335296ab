// What the page shows: one simulation, or two of the same bodies on two devices. Knows nothing of sockets.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/nbody/nbody.hpp"

class nbody_live {
 public:
  explicit nbody_live(const nbody_options&);

  // One turn: as many steps as the speed allows, for no longer than about a picture's time. False where there is
  // nothing to do but wait: paused, over, or ahead of the speed.
  bool turn();
  // {"do": "pause" | "go" | "step" | "restart" | "speed" | "theta" | "method" | "race" | "scene", "value": …}; throws
  // where it is nonsense, and then all goes on as before.
  void obey(const nlohmann::json&);
  // The same of its text. What there is to say to the page where it cannot be obeyed, as JSON; else empty.
  std::string heed(const std::string& order);

  // Binary, little-endian: u32 1, u32 generation, u32 sides, u32 bodies; for each side f64 time, f64 step; then x, y, z
  // of each body in f32, side after side.
  std::string picture();
  // u32 2, u32 generation, u32 0, u32 bodies; a byte of look each.
  std::string looks() const;
  std::string scene() const;  // JSON: names, limits, where the controls stand
  std::string facts();        // JSON: times, speeds, drifts, the difference of two
  std::uint32_t generation() const { return generation_; }

 private:
  using clock = std::chrono::steady_clock;
  struct side {
    std::string device;
    upsweep::context where;
    std::unique_ptr<nbody_motion> motion;
    nbody_ledger ledger;
    double busy = 0;         // seconds of stepping since the last facts
    std::uint64_t made = 0;  // steps in them
    double rate = 0;         // steps a second of stepping
  };

  void begin();
  void advance(side&, std::uint64_t steps);
  nlohmann::json difference();

  nbody_options options_;
  std::vector<side> sides_;
  upsweep::nbody::scene scene_;
  nbody_settings settings_;
  std::vector<std::size_t> shown_;  // which bodies go to the page, where not all do
  std::uint32_t generation_ = 0;
  bool paused_ = false, race_ = false;
  double speed_ = 0;  // steps a second; 0: all that can be made
  double due_ = 0;    // steps that the speed allows by now and that are not made
  clock::time_point last_turn_ = clock::now();
};

// The files of page/, inside the program.
struct nbody_page_part {
  const char *name, *text;
};
extern const nbody_page_part nbody_page_parts[];  // the last has no name
