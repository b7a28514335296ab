// says: upsweep: this call writes its output; this range is const
#include "upsweep/sort.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> keys{3, 1, 2};
  const std::vector<std::uint32_t> order(3);
  upsweep::argsort(cpu, keys, order);
}
