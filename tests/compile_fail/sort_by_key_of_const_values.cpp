// says: upsweep: this call writes its output; this range is const
#include "upsweep/sort.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  std::vector<int> keys{3, 1, 2};
  const std::vector<float> values{1, 2, 3};
  upsweep::sort_by_key(cpu, keys, values);
}
