// says: upsweep: this test cannot be called with an element
#include <vector>

#include "upsweep/transform.hpp"

int main() {
  std::vector<int> x(3);
  upsweep::transform_if(upsweep::context::cpu(), x, x, upsweep::negate{}, [](const char* s) { return s[0] == 'a'; });
}
