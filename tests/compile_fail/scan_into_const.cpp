// says: upsweep: this call writes its output; this range is const
#include "upsweep/scan.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> x{1, 2, 3};
  upsweep::inclusive_scan(cpu, x, x);
}
