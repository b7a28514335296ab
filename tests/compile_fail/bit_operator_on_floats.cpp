// says: upsweep: this operator does not take this element type; bit operators take integers, compose_affine takes u64
#include "upsweep/upsweep.hpp"

int main() {
  const std::vector<float> x{1, 2, 3};
  return upsweep::reduce(upsweep::context::cpu(), x, 0.0f, upsweep::bit_xor{}) > 0;
}
