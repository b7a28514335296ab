// says: upsweep: the elements' type does not hold every such value
#include <vector>

#include "upsweep/transform.hpp"

int main() {
  std::vector<float> x(3);
  upsweep::fill(upsweep::context::cpu(), x, 0.5);
}
