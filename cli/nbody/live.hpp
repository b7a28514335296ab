// The simulation shown by the page, or two of the same bodies on two devices. Independent of sockets.
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

  // Makes as many steps as the speed allows, for about the time of one picture. False if there is nothing to do:
  // paused, finished, or ahead of the speed.
  bool turn();
  // {"do": "pause" | "go" | "step" | "restart" | "speed" | "theta" | "method" | "race" | "scene", "value": …}; throws
  // where it is nonsense, and then all goes on as before.
  void obey(const nlohmann::json&);
  // As above, from JSON text. Returns the error for the page as JSON; empty on success.
  std::string heed(const std::string& order);

  // Binary, little-endian: u32 1, u32 generation, u32 sides, u32 bodies; for each side f64 time, f64 step; then x, y, z
  // of each body in f32, side after side.
  std::string picture();
  // u32 2, u32 generation, u32 0, u32 bodies; a byte of look each.
  std::string looks() const;
  std::string scene() const;  // JSON: names, limits, values of the controls
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
