// says: upsweep: an init in device memory must have the type of the output
#include "upsweep/scan.hpp"

int main() {
  const upsweep::context cpu = upsweep::context::cpu();
  upsweep::buffer<int> x(cpu, 3);
  const upsweep::buffer<long long> init(cpu, 1);
  upsweep::inclusive_scan(cpu, x, x, init.span());
}
