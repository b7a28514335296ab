// says: upsweep: sort takes device spans, buffers and contiguous ranges; copy a deque
#include <deque>

#include "upsweep/sort.hpp"

int main() {
  std::deque<int> keys{3, 1, 2};
  upsweep::sort(upsweep::context::cpu(), keys);
}
