// says: upsweep: elements are moved without conversion; give an output of the input's type
#include "upsweep/select.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<float> x{1, 2, 3};
  std::vector<int> y(3);
  upsweep::copy_if(cpu, x, y, upsweep::less_than(2.0f));
}
