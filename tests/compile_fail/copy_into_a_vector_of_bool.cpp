// says: upsweep: a call writes to a device span, a buffer or a contiguous range; a deque is not contiguous
#include "upsweep/transform.hpp"

int main() {
  const std::vector<bool> flags{true, false};
  std::vector<bool> copies(2);
  upsweep::copy(upsweep::context::cpu(), flags, copies);
}
