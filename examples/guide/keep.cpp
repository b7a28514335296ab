// The elements that pass a test, in order; those that pass, then the others; the first of equal neighbours.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "upsweep/upsweep.hpp"

int main() {
  const auto where = upsweep::context::best();
  const std::vector<int> x{4, -1, 4, 4, 7, -3};

  std::vector<int> kept(x.size());
  kept.resize(upsweep::copy_if(where, x, kept, upsweep::at_least(0)));

  std::vector<int> parted(x.size());
  const std::uint64_t passed = upsweep::partition(where, x, parted, upsweep::less_than(0));

  std::vector<int> once(x.size());
  once.resize(upsweep::unique(where, x, once));

  std::printf("%zu kept, %d stand first, %zu runs\n", kept.size(), static_cast<int>(passed), once.size());
  return kept == std::vector{4, 4, 4, 7} && passed == 2 && parted == std::vector{-1, -3, 4, 4, 4, 7} &&
                 once == std::vector{4, -1, 4, 7, -3}
             ? 0
             : 1;
}
