// A million states of a linear congruential generator in parallel. The step x -> a·x + b is an affine map, n steps are
// the composition of n maps, and a scan composes all prefixes in parallel. Composition need not commute.
#include <cstdio>
#include <vector>

#include "upsweep/upsweep.hpp"

int main() {
  constexpr std::uint32_t a = 1664525, b = 1013904223, seed = 42;
  constexpr std::uint64_t n = 1'000'000;
  const auto where = upsweep::context::best();

  const std::uint64_t step = a | std::uint64_t{b} << 32;  // factor in the low half, summand in the high half
  upsweep::buffer<std::uint64_t> maps(where, std::vector<std::uint64_t>(n, step));
  upsweep::inclusive_scan(where, maps.span(), maps.span(), upsweep::compose_affine{});
  const std::vector<std::uint64_t> after = maps.download();

  std::uint32_t state = seed;
  for (std::uint64_t i = 0; i < n; ++i) {
    state = a * state + b;
    const auto jumped = static_cast<std::uint32_t>(after[i]) * seed + static_cast<std::uint32_t>(after[i] >> 32);
    if (jumped != state) return std::printf("state %llu is wrong\n", static_cast<unsigned long long>(i)), 1;
  }
  std::printf("%llu states on %s; the last is %u\n", static_cast<unsigned long long>(n), where.name().c_str(), state);
}
