// says: upsweep: this operator cannot be applied to two elements; give it `T operator()(T a, T b) const`
#include "upsweep/upsweep.hpp"

struct doubled {
  int operator()(int a) const { return 2 * a; }
  static int identity() { return 0; }
};

int main() {
  std::vector<int> x{1, 2, 3};
  upsweep::inclusive_scan(upsweep::context::cpu(), x, x, doubled{});
}
