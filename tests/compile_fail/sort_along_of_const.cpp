// says: upsweep: this call writes its output; this range is const
#include "upsweep/axis.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> keys{3, 1, 2, 4};
  upsweep::sort_along(cpu, keys, {2, 2}, 0);
}
