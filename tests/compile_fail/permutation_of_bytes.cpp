// says: upsweep: random_permutation writes indices of u32 or u64
#include <vector>

#include "upsweep/rearrange.hpp"

int main() {
  std::vector<unsigned char> order(3);
  upsweep::random_permutation(upsweep::context::cpu(), order, 1);
}
