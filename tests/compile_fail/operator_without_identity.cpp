// says: upsweep: this operator has no identity; give it `static T identity()`, the element e with op(e, x) == x
#include "upsweep/upsweep.hpp"

struct saturating {
  int operator()(int a, int b) const { return a > 100 - b ? 100 : a + b; }
};

int main() {
  const std::vector<int> x{1, 2, 3};
  return upsweep::reduce(upsweep::context::cpu(), x, 0, saturating{});
}
