// says: upsweep: these elements have no ==; give their type one
#include "upsweep/select.hpp"

struct point {
  float x, y;
};

int main() {
  const auto cpu = upsweep::context::cpu();
  std::vector<point> x(3), y(3);
  std::vector<std::uint64_t> lengths(3);
  upsweep::run_length_encode(cpu, x, y, lengths);
}
