// The number of elements that pass a test, in each bin, and of each distinct value.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "upsweep/upsweep.hpp"

int main() {
  const auto where = upsweep::context::best();
  const std::vector<float> x{0.5f, 9.0f, 0.5f, 3.5f, 0.25f};
  const std::uint64_t small = upsweep::count_if(where, x, upsweep::less_than(1.0f));

  std::vector<std::uint64_t> bins(10);
  upsweep::histogram(where, x, bins, 0.0f, 10.0f);

  std::vector<float> different(x.size());
  std::vector<std::uint64_t> how_often(x.size());
  const std::uint64_t kinds = upsweep::histogram_by_key(upsweep::context::cpu(), x, different, how_often);

  for (std::uint64_t i = 0; i < kinds; ++i) std::printf("%g: %d\n", different[i], static_cast<int>(how_often[i]));
  return small == 3 && bins[0] == 3 && bins[9] == 1 && kinds == 4 && how_often[1] == 2 ? 0 : 1;
}
