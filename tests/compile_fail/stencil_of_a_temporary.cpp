// says: upsweep: this input is a temporary, destroyed before it is read; store it in a variable first
#include "upsweep/compact.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> x{1, 2};
  std::vector<int> y(2);
  (void)upsweep::copy_if(cpu, x, y, upsweep::stencil(std::vector<int>{3, 4}, upsweep::less_than(4)));
}
