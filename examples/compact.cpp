// Stream compaction: keeps the elements that pass a test, in order. The exclusive scan of the flags (1 keeps, 0 drops)
// is the position of each kept element in the output, so all elements can be moved independently.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "upsweep/upsweep.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  std::vector<std::uint32_t> readings(500'000);
  for (std::size_t i = 0; i < readings.size(); ++i) readings[i] = static_cast<std::uint32_t>(i * 2654435761u >> 16);
  const auto keep = [](std::uint32_t x) { return x > 60000; };

  std::vector<std::uint64_t> flags(readings.size()), places(readings.size());
  std::transform(readings.begin(), readings.end(), flags.begin(), keep);
  upsweep::exclusive_scan(cpu, flags, places);

  std::vector<std::uint32_t> kept(places.back() + flags.back());
  for (std::size_t i = 0; i < readings.size(); ++i)
    if (flags[i]) kept[places[i]] = readings[i];

  std::vector<std::uint32_t> want;
  std::copy_if(readings.begin(), readings.end(), std::back_inserter(want), keep);
  std::printf("%zu of %zu readings kept\n", kept.size(), readings.size());
  return kept == want ? 0 : 1;
}
