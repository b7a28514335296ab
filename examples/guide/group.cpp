// A sum for each group: sort keys with their values, then fold each run; or add by the number of the group.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "upsweep/upsweep.hpp"

int main() {
  const auto where = upsweep::context::cpu();
  std::vector<std::uint64_t> cities{3, 1, 3, 2, 1};
  std::vector<double> prices{10, 4, 2, 8, 1};

  std::vector<double> by_number(4);  // if the keys are small numbers
  upsweep::reduce_by_index(where, cities, prices, by_number);

  upsweep::sort_by_key(where, cities, prices);
  std::vector<std::uint64_t> city(cities.size());
  std::vector<double> sum(cities.size());
  const std::uint64_t groups = upsweep::reduce_by_key(where, cities, prices, city, sum);

  for (std::uint64_t i = 0; i < groups; ++i) std::printf("city %d: %g\n", static_cast<int>(city[i]), sum[i]);
  return groups == 3 && sum[0] == 5 && sum[1] == 8 && sum[2] == 12 && by_number[3] == 12 ? 0 : 1;
}
