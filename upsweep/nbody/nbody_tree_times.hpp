// Time of each part of a call that uses the tree.
#pragma once

#include <chrono>

#include "upsweep/core/device.hpp"

namespace upsweep::detail::nbody_impl {

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

}  // namespace upsweep::detail::nbody_impl
