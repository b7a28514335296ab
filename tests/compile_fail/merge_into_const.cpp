// says: upsweep: this call writes its output; this range is const
#include "upsweep/sort.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> a{1, 3}, b{2};
  const std::vector<int> merged(3);
  upsweep::merge(cpu, a, b, merged);
}
