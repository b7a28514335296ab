// says: upsweep: neither the elements
#include "upsweep/reduce.hpp"

int main() {
  const std::vector<int> x{1, 2, 3};
  return upsweep::reduce(upsweep::context::cpu(), x, 0.5f) > 0;
}
