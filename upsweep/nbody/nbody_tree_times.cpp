#include "upsweep/nbody/nbody_tree_times.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

thread_local tree_clock* running = nullptr;

}  // namespace

tree_clock::tree_clock(device& d) {
  d.synchronize();
  last_ = std::chrono::steady_clock::now();
  running = this;
}

tree_clock::~tree_clock() { running = nullptr; }

void tree_part_done(device& d, tree_part part) {
  if (running == nullptr) return;
  d.synchronize();
  const auto now = std::chrono::steady_clock::now();
  running->seconds[static_cast<int>(part)] += std::chrono::duration<double>(now - running->last_).count();
  running->last_ = now;
}

}  // namespace upsweep::detail::nbody_impl
