// says: upsweep: calls take ranges and no iterators; in place of a back_inserter give an output
#include "upsweep/select.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<float> x{1, 2, 3};
  std::vector<float> y;
  upsweep::copy_if(cpu, x, std::back_inserter(y), upsweep::less_than(2.0f));
}
