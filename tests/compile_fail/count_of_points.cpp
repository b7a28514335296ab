// says: upsweep: these elements have no ==; give their type one
#include "upsweep/search.hpp"

struct point {
  float x, y;
};

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<point> x(3);
  return static_cast<int>(upsweep::count(cpu, x, point{}));
}
