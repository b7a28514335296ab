// says: upsweep: elements are moved without conversion; give an output of the input's type
#include "upsweep/select.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<float> x{1, 2, 3};
  const std::vector<std::uint32_t> at{0, 1, 2};
  std::vector<int> y(3);
  upsweep::gather(cpu, x, at, y);
}
