// Two bodies orbit each other for a thousand steps; the drift of the energy shows the accuracy.
#include <cmath>
#include <cstdio>

#include "upsweep/upsweep.hpp"

int main() {
  namespace nbody = upsweep::nbody;
  // x, y, z, vx, vy, vz, mass: on a circle of radius 1
  const nbody::bodies<double> start{{-1, 1}, {0, 0}, {0, 0}, {0, 0}, {-0.5, 0.5}, {0, 0}, {1, 1}};
  nbody::simulation<double> pair(upsweep::context::cpu(), start, {}, nbody::integrator::leapfrog, 1e-2);

  const double before = pair.measure().energy();
  pair.step(1000);
  const double drift = std::abs(pair.measure().energy() / before - 1);

  const auto& now = pair.state();
  std::printf("after %g: (%.3f, %.3f), energy off by %.1e\n", pair.time(), now.x[0], now.y[0], drift);
  return drift < 1e-6 && std::abs(std::hypot(now.x[0], now.y[0]) - 1) < 1e-3 ? 0 : 1;
}
