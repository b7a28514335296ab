// says: upsweep: a vector of bool has no elements in memory
#include "upsweep/select.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  std::vector<bool> x(3), y(3);
  upsweep::copy_if(cpu, x, y, [](bool b) { return b; });
}
