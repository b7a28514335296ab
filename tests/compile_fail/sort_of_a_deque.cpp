// says: upsweep: keys are sorted in place in device spans, buffers and contiguous ranges; a deque,
#include <deque>

#include "upsweep/sort.hpp"

int main() {
  std::deque<int> keys{3, 1, 2};
  upsweep::sort(upsweep::context::cpu(), keys);
}
