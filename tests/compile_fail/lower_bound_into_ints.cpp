// says: upsweep: positions are written as u64 or u32, and results of binary_search as u8 or bool
#include "upsweep/search.hpp"

int main() {
  const std::vector<float> edges{1, 2, 3}, values{0.5f, 2.5f};
  std::vector<int> bins(2);
  upsweep::lower_bound(upsweep::context::cpu(), edges, values, bins);
}
