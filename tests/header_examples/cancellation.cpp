#include "upsweep/cancellation.hpp"

#include <atomic>
#include <numeric>

#include "tests/header_examples/example.hpp"
#include "upsweep/sort.hpp"

HEADER_EXAMPLE(cancellation, everywhere) {
  std::vector<int> values(1000);
  std::iota(values.rbegin(), values.rend(), 0);
#include "cancellation.example"
  EXPECT_TRUE(std::ranges::is_sorted(values));  // no stop was requested
}
