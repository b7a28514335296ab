// says: upsweep: calls take ranges; make one of a pair of iterators: std::span(first, last)
#include "upsweep/sort.hpp"

int main() {
  std::vector<int> keys{3, 1, 2};
  upsweep::sort(upsweep::context::cpu(), keys.begin(), keys.end());
}
