// What each part of a call through the tree takes.
#pragma once

#include <chrono>

#include "upsweep/core/device.hpp"

namespace upsweep::nbody_room {

enum class tree_part : std::uint8_t { keys, sort, cells, moments, walk };
inline constexpr int tree_part_count = 5;

// While one exists, this thread's trees are timed: each part is waited for before the next begins.
class tree_clock {
 public:
  explicit tree_clock(device&);
  ~tree_clock();
  tree_clock(const tree_clock&) = delete;
  tree_clock& operator=(const tree_clock&) = delete;

  double seconds[tree_part_count] = {};

 private:
  friend void tree_part_done(device&, tree_part);
  std::chrono::steady_clock::time_point last_;
};

// The part has been enqueued, or is done.
void tree_part_done(device&, tree_part);

}  // namespace upsweep::nbody_room
