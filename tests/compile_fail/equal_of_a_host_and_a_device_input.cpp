// says: upsweep: inputs of one call are all in host memory or all in device memory
#include "upsweep/search.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<float> x{1, 2, 3};
  const upsweep::buffer<float> y(cpu, x);
  return upsweep::equal(cpu, x, y) ? 0 : 1;
}
