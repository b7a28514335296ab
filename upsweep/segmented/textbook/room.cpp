#include "upsweep/core/catalog.hpp"
#include "upsweep/segmented/problem.hpp"

namespace upsweep::segmented_room {

std::vector<upsweep::variant> rungs() {
  std::vector<upsweep::variant> all;
  add(all, cpu_textbook());
  return all;
}

}  // namespace upsweep::segmented_room
