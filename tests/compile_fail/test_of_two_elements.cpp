// says: upsweep: this test cannot be called with an element; give it `bool operator()(T x) const`
#include "upsweep/select.hpp"

int main() {
  std::vector<float> x{1, 2, 3}, y(3);
  upsweep::partition(upsweep::context::cpu(), x, y, [](float a, float b) { return a < b; });
}
