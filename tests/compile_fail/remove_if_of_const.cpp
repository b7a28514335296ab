// says: upsweep: this call writes its output; this range is const
#include "upsweep/compact.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> x{1, 2};
  (void)upsweep::remove_if(cpu, x, upsweep::less_than(2));
}
