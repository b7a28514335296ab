// says: upsweep: these elements have no ==; give their type one
#include "upsweep/select.hpp"

struct point {
  float x, y;
};

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<point> x(3);
  std::vector<std::uint64_t> offsets(4);
  upsweep::group_by(cpu, x, offsets);
}
