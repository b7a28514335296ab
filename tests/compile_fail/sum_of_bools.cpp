// says: upsweep: a sum of bools is no bool; count them by an init, as in reduce(c, x, 0)
#include "upsweep/reduce.hpp"

int main() {
  const std::vector<bool> x{true, false, true};
  return upsweep::reduce(upsweep::context::cpu(), x);
}
