// says: upsweep: these elements have no ==; give their type one
#include "upsweep/select.hpp"

struct point {
  float x, y;
};

int main() {
  const auto cpu = upsweep::context::cpu();
  std::vector<point> x(3);
  upsweep::unique(cpu, x);
}
