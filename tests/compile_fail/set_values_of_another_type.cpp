// says: upsweep: the values and their output have one type
#include "upsweep/sets.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<int> a{1, 3}, b{2};
  const std::vector<float> x{1, 3}, y{2};
  std::vector<int> keys(3), values(3);
  (void)upsweep::set_union_by_key(cpu, a, x, b, y, keys, values);
}
