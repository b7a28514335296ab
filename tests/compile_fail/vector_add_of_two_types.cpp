// says: upsweep: vector_add takes three spans of one type
#include "upsweep/vector_add.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  upsweep::buffer<int> x(cpu, 3);
  upsweep::buffer<float> y(cpu, 3);
  upsweep::vector_add(cpu, x, x, y);
}
