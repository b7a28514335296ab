// says: upsweep: this call writes its output; this range is const
#include "upsweep/sort.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  std::vector<int> keys{3, 1, 2};
  upsweep::sort(cpu, upsweep::device_span<const int>(keys.data(), keys.size()));
}
