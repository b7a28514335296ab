// says: upsweep: this call writes its output; this range is const
#include "upsweep/select.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> x{1, 2, 3}, kept(3);
  upsweep::copy_if(cpu, x, kept, upsweep::less_than(2));
}
