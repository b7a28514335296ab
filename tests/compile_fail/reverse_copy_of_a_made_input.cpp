// says: upsweep: this call rearranges memory
#include <vector>

#include "upsweep/rearrange.hpp"
#include "upsweep/views.hpp"

int main() {
  std::vector<int> x(3);
  upsweep::reverse_copy(upsweep::context::cpu(), upsweep::views::iota(0, 3), x);
}
