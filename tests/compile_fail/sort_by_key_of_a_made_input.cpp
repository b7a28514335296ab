// says: upsweep: sort_by_key takes keys and values in memory
#include "upsweep/sort.hpp"
#include "upsweep/views.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  std::vector<int> values(9);
  upsweep::sort_by_key(cpu, upsweep::views::iota(0, 9), values);
}
