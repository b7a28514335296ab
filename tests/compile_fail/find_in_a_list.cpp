// says: upsweep: an input is a device span, a buffer, or a range with random access and a size
#include <list>

#include "upsweep/search.hpp"

int main() {
  const std::list<int> x{1, 2, 3};
  return static_cast<int>(upsweep::find(upsweep::context::cpu(), x, 2));
}
