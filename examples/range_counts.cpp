// The number of values in [low, high). After one scan of the counts of each value, a query is one subtraction:
// before[high] - before[low].
#include <algorithm>
#include <cstdio>
#include <vector>

#include "upsweep/upsweep.hpp"

int main() {
  constexpr std::uint32_t values = 1000;
  std::vector<std::uint32_t> ages(300'000);
  for (std::size_t i = 0; i < ages.size(); ++i) ages[i] = static_cast<std::uint32_t>((i * i + 17 * i) % 7919 % values);

  std::vector<std::uint64_t> count(values + 1), before(values + 1);
  for (std::uint32_t age : ages) ++count[age];
  upsweep::exclusive_scan(upsweep::context::cpu(), count, before);

  for (const auto& [low, high] : {std::pair{0u, 1000u}, {18u, 65u}, {999u, 1000u}, {500u, 500u}}) {
    const std::uint64_t answer = before[high] - before[low];
    const auto inside = [low = low, high = high](std::uint32_t age) { return low <= age && age < high; };
    if (answer != static_cast<std::uint64_t>(std::count_if(ages.begin(), ages.end(), inside))) return 1;
    std::printf("%llu values in [%u, %u)\n", static_cast<unsigned long long>(answer), low, high);
  }
}
