// says: upsweep: this call writes its output; this range is const
#include "upsweep/search.hpp"

int main() {
  const std::vector<float> edges{1, 2, 3}, values{0.5f, 2.5f};
  const std::vector<std::uint64_t> bins(2);
  upsweep::lower_bound(upsweep::context::cpu(), edges, values, bins);
}
