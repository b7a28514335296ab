// says: upsweep: an init in device memory requires an output in device memory; pass the value of the init
#include "upsweep/scan.hpp"

int main() {
  const upsweep::context cpu = upsweep::context::cpu();
  std::vector<int> x{1, 2, 3};
  const upsweep::buffer<int> init(cpu, 1);
  upsweep::exclusive_scan(cpu, x, x, init);
}
