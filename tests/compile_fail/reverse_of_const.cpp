// says: upsweep: this call writes its output; this range is const
#include <vector>

#include "upsweep/rearrange.hpp"

int main() {
  const std::vector<int> x{1, 2, 3};
  upsweep::reverse(upsweep::context::cpu(), x);
}
