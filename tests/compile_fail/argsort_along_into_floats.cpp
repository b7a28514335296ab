// says: upsweep: indices are integers of 4 or 8 bytes
#include "upsweep/axis.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> keys{3, 1, 2, 4};
  std::vector<float> order(4);
  upsweep::argsort_along(cpu, keys, {2, 2}, 0, order);
}
