// says: upsweep: the output's elements do not hold every value of the input's; give it an output of a type
#include "upsweep/scan.hpp"

int main() {
  const std::vector<long> x{1, 2, 3};
  std::vector<int> y(3);
  upsweep::inclusive_scan(upsweep::context::cpu(), x, y);
}
