#include "upsweep/memory.hpp"

#include "tests/header_examples/example.hpp"
#include "upsweep/sort.hpp"

HEADER_EXAMPLE(memory, everywhere) {
  upsweep::buffer<std::byte> block(gpu, 16 << 20);
  std::vector<std::uint32_t> keys(10000);
  for (std::uint32_t i = 0; i < 10000; ++i) keys[i] = i * 7919 % 10000;
  upsweep::buffer<std::uint32_t> x(gpu, keys);
#include "memory.example"
  EXPECT_EQ(x.download(), upsweep::tests::ascending<std::uint32_t>(10000));
  EXPECT_LE(bytes, 16u << 20);
}
