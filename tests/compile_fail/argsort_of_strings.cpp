// says: upsweep: keys of this type have no built-in order; give a comparator
#include "upsweep/sort.hpp"

#include <string>

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<std::string> x(3);
  std::vector<std::uint64_t> order(3);
  upsweep::argsort(cpu, x, order);
}
