// says: upsweep: this operator does not take this element type; bit operators take integers, compose_affine takes u64
#include "upsweep/upsweep.hpp"

int main() {
  std::vector<int> x{1, 2, 3};
  upsweep::inclusive_scan(upsweep::context::cpu(), x, x, upsweep::compose_affine{});
}
