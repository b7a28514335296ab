// says: upsweep: the output's elements do not hold every value of the input's
#include "upsweep/axis.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<long long> x{3, 1, 2, 4};
  std::vector<int> sums(2);
  upsweep::reduce_along(cpu, x, {2, 2}, 0, sums);
}
