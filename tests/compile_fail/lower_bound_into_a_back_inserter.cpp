// says: upsweep: calls take ranges and no iterators; in place of a back_inserter give an output
#include "upsweep/search.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<float> x{1, 2, 3};
  std::vector<std::uint64_t> y;
  upsweep::lower_bound(cpu, x, x, std::back_inserter(y));
}
