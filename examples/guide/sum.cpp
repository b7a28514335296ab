// Sums: of the elements, in a wider type, by another operator, of squares; and with the same bits on every device.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "upsweep/upsweep.hpp"

int main() {
  const auto where = upsweep::context::best();  // or ::cpu(), ::cuda(0), ::opencl(0)
  const std::vector<float> paid{9.0f, 3.5f, 0.5f, 0.25f};
  const float total = upsweep::reduce(where, paid);
  const float most = upsweep::reduce(where, paid, upsweep::maximum{});
  const float squares = upsweep::transform_reduce(where, paid, 0.0f, upsweep::plus{}, upsweep::square{});
  const float everywhere = upsweep::reproducible_sum(where, paid);

  const std::vector<std::uint8_t> bytes(1000, 200);
  const auto wide = upsweep::reduce(upsweep::context::cpu(), bytes, std::uint64_t{0});

  std::printf("%g in all, at most %g, squares %g; %g; bytes %d\n", total, most, squares, everywhere,
              static_cast<int>(wide));
  return total == 13.25f && most == 9 && squares == 93.5625f && everywhere == total && wide == 200000 ? 0 : 1;
}
