// says: upsweep: the inputs and the output of one call are all in host memory or all in device memory
#include <vector>

#include "upsweep/transform.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> x{1, 2, 3};
  upsweep::buffer<int> y(cpu, 3);
  upsweep::transform(cpu, x, y, upsweep::negate{});
}
