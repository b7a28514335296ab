// says: upsweep: the address of a function is a host address; in a .cu file give a function object, or a lambda that is
#include <upsweep/sort.hpp>

bool falling(float a, float b) { return a > b; }

int main() {
  const auto gpu = upsweep::context::cuda();
  upsweep::buffer<float> x(gpu, 3);
  upsweep::sort(gpu, x, &falling);
}
