// says: upsweep: the threshold is of another type than the elements
#include <vector>

#include "upsweep/transform.hpp"

int main() {
  std::vector<float> x(3);
  upsweep::replace_if(upsweep::context::cpu(), x, upsweep::less_than(1), 0.0f);
}
