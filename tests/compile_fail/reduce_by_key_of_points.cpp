// says: upsweep: these elements have no ==; give their type one
#include "upsweep/segmented.hpp"

struct point {
  float x, y;
};

int main() {
  const auto cpu = upsweep::context::cpu();
  std::vector<point> keys(3), keys_out(3);
  std::vector<float> x(3), y(3);
  upsweep::reduce_by_key(cpu, keys, x, keys_out, y);
}
