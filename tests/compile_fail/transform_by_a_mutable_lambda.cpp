// says: upsweep: this function cannot be called with one element of each input
#include <vector>

#include "upsweep/transform.hpp"

int main() {
  std::vector<int> x{1, 2, 3};
  upsweep::transform(upsweep::context::cpu(), x, x, [calls = 0](int v) mutable { return v + calls++; });
}
