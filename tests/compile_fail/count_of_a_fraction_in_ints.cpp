// says: upsweep: the elements do not hold this value; write it in their type, as in 0.5f
#include "upsweep/search.hpp"

int main() {
  const std::vector<int> x{1, 2, 3};
  return static_cast<int>(upsweep::count(upsweep::context::cpu(), x, 0.5));
}
