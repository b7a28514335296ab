// says: upsweep: this call writes its output; this range is const
#include "upsweep/sets.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> a{1, 3}, b{2};
  const std::vector<int> all(3);
  (void)upsweep::set_union(cpu, a, b, all);
}
