// says: upsweep: this call writes its output; this range is const
#include "upsweep/scan.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  std::vector<int> x{1, 2, 3};
  upsweep::device_span<int> in(x.data(), x.size());
  upsweep::exclusive_scan(cpu, in, upsweep::device_span<const int>(in));
}
