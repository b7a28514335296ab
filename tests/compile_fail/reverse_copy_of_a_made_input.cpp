// says: upsweep: what is rearranged lies in memory
#include <vector>

#include "upsweep/inputs.hpp"
#include "upsweep/rearrange.hpp"

int main() {
  std::vector<int> x(3);
  upsweep::reverse_copy(upsweep::context::cpu(), upsweep::counting(0, 3), x);
}
