// says: from a __device__ function("upsweep::core::equal_to_op_here
#include <upsweep/select.hpp>

struct entry {
  int key;
};
bool operator==(entry a, entry b) { return a.key == b.key; }

int main() {
  const auto gpu = upsweep::context::cuda();
  upsweep::buffer<entry> x(gpu, 3);
  upsweep::unique(gpu, x, x);
}
