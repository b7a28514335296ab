// says: upsweep: this operator has no identity; write upsweep::monoid(op, e), or give it `static T identity()`
#include "upsweep/scan.hpp"

int main() {
  const std::vector<int> x{1, 2, 3};
  std::vector<int> y(3);
  upsweep::exclusive_scan(upsweep::context::cpu(), x, y, [](int a, int b) { return a < b ? b : a; });
}
