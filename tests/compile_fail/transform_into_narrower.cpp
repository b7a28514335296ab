// says: upsweep: the output's elements do not hold every value that is written to them
#include <vector>

#include "upsweep/transform.hpp"

int main() {
  const std::vector<int> x{1, 2, 3};
  std::vector<unsigned char> y(3);
  upsweep::transform(upsweep::context::cpu(), x, y, [](int v) { return v * v; });
}
