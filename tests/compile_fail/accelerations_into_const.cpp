// says: upsweep: this call writes its output; this range is const
#include "upsweep/nbody.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  upsweep::buffer<float> x(cpu, 9), ax(cpu, 9), ay(cpu, 9);
  const upsweep::buffer<float> az(cpu, 9);
  upsweep::nbody::accelerations(cpu, {}, x, x, x, x, ax, ay, az);
}
