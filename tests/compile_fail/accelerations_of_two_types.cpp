// says: upsweep: bodies and their accelerations are all f32, or all f64
#include <vector>

#include "upsweep/nbody.hpp"

int main() {
  std::vector<float> x(9), ax(9), ay(9), az(9);
  std::vector<double> mass(9);
  upsweep::nbody::accelerations(upsweep::context::cpu(), {}, x, x, x, mass, ax, ay, az);
}
