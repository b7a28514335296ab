// says: upsweep: this call writes its output; this range is const
#include <vector>

#include "upsweep/transform.hpp"

int main() {
  const std::vector<int> x{1, 2, 3}, y(3);
  upsweep::transform(upsweep::context::cpu(), x, y, upsweep::negate{});
}
