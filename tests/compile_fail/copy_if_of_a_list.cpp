// says: upsweep: an input is a device span, a buffer, or a range with random access and a size
#include "upsweep/select.hpp"

#include <list>

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::list<float> x(3);
  std::vector<float> y(3);
  upsweep::copy_if(cpu, x, y, upsweep::less_than(2.0f));
}
