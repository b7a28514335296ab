// says: upsweep: elements are moved without conversion; give both sides elements of one type
#include <vector>

#include "upsweep/rearrange.hpp"

int main() {
  std::vector<int> x(3);
  std::vector<long> y(3);
  upsweep::swap_ranges(upsweep::context::cpu(), x, y);
}
