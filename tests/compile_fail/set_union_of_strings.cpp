// says: upsweep: keys of this type have no built-in order; give a comparator
#include "upsweep/sets.hpp"

#include <string>

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<std::string> x(3);
  std::vector<std::string> y(6);
  upsweep::set_union(cpu, x, x, y);
}
