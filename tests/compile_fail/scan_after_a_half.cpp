// says: upsweep: the output's elements do not hold this init; write it in their type
#include "upsweep/scan.hpp"

int main() {
  const std::vector<int> x{1, 2, 3};
  std::vector<int> y(3);
  upsweep::exclusive_scan(upsweep::context::cpu(), x, y, 0.5);
}
