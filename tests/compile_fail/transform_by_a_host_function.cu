// says: calling a __host__ function("halved::operator ()(float) const") from a __device__ function
#include <upsweep/transform.hpp>

struct halved {
  float operator()(float x) const { return x / 2; }
};

int main() {
  const auto gpu = upsweep::context::cuda();
  upsweep::buffer<float> x(gpu, 3);
  upsweep::transform(gpu, x, x, halved{});
}
