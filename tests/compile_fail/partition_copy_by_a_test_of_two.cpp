// says: upsweep: this test cannot be called with an element
#include "upsweep/compact.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> x{1, 2};
  std::vector<int> y(2), z(2);
  (void)upsweep::partition_copy(cpu, x, y, z, [](int a, int b) { return a < b; });
}
