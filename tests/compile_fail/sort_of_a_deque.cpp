// says: upsweep: sort takes device spans, buffers and contiguous ranges; copy a deque, a list, a vector of bool or what is made as it is read into a vector first
#include <deque>

#include "upsweep/sort.hpp"

int main() {
  std::deque<int> keys{3, 1, 2};
  upsweep::sort(upsweep::context::cpu(), keys);
}
