// says: upsweep: bounds of integers are integers
#include "upsweep/histogram.hpp"

int main() {
  const std::vector<int> x{0, 5, 10};
  std::vector<std::uint64_t> counts(11);
  upsweep::histogram(upsweep::context::cpu(), x, counts, -0.5, 10.5);
}
