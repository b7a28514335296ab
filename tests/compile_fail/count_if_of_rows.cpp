// says: upsweep: this test cannot be called with an element of zipped inputs
#include "upsweep/search.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<float> x(3), y(3);
  return static_cast<int>(upsweep::count_if(cpu, upsweep::views::zip(x, y), [](float a) { return a > 0; }));
}
