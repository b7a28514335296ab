// says: upsweep: the sum of bools is not a bool; give an init to count them, as in reduce(c, x, 0)
#include "upsweep/reduce.hpp"

int main() {
  const std::vector<bool> x{true, false, true};
  return upsweep::reduce(upsweep::context::cpu(), x);
}
