// says: upsweep: this call writes its output; this range is const
#include "upsweep/sort.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> scores{3, 1, 2};
  const std::vector<int> best(2);
  upsweep::top_k(cpu, scores, best);
}
