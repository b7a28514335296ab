#include "upsweep/for_each.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(for_each, where_compiled) {
  const std::uint64_t n = 1000;
  upsweep::buffer<float> x(gpu, std::vector<float>(n, 1.5f));
#include "for_each.example"
  EXPECT_EQ(x.download(), std::vector<float>(n, 3));
}
