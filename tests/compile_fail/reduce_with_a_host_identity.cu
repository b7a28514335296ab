// says: calling a __host__ function("greater_one::identity()") from a __device__ function
#include <upsweep/reduce.hpp>

struct greater_one {
  UPSWEEP_HD int operator()(int a, int b) const { return a > b ? a : b; }
  static int identity() { return -1; }
};

int main() {
  const auto gpu = upsweep::context::cuda();
  upsweep::buffer<int> x(gpu, 3);
  upsweep::reduce(gpu, x, greater_one{});
}
