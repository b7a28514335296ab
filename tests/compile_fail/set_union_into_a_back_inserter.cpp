// says: upsweep: calls take ranges and no iterators; in place of a back_inserter give an output
#include "upsweep/sets.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<float> x{1, 2, 3};
  std::vector<float> y;
  upsweep::set_union(cpu, x, x, std::back_inserter(y));
}
