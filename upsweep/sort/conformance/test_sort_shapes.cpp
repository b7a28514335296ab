// Which shapes the CUDA radix sort takes under which limit of shared memory.
#include "tests/shared_limits.hpp"
#include "upsweep/sort/cuda/sort_compared_tuning.hpp"
#include "upsweep/sort/cuda/sort_cuda_tuning.hpp"

namespace upsweep {
namespace {

template <int KeyBytes, int ValueBytes>
void expect_sort(std::uint64_t tuned) {
  using tuning = sort_tuning<KeyBytes, ValueBytes>;
  const auto bytes = []<class Shape>(Shape) { return sort_pass_bytes<KeyBytes, ValueBytes, Shape>(); };
  const std::uint64_t large = bytes(typename tuning::large{});
  tests::expect_a_shape_fits(large, bytes(typename tuning::small{}), tuned);
  EXPECT_LE(bytes(typename tuning::middle{}), large);  // so that where the large one fits, this one does
}

TEST(SortShapes, FitEveryLimit) {
  expect_sort<1, 0>(35392);
  expect_sort<2, 0>(52288);
  expect_sort<4, 0>(86080);
  expect_sort<8, 0>(119872);
  expect_sort<1, 4>(119344);
  expect_sort<2, 4>(136240);
  expect_sort<4, 4>(119872);
  expect_sort<8, 4>(159728);
  expect_sort<1, 8>(126464);
  expect_sort<2, 8>(137552);
  expect_sort<4, 8>(159728);
  expect_sort<8, 8>(153664);
}

template <int KeyBytes>
void expect_counters(std::uint64_t tuned) {
  using tuning = histogram_tuning<KeyBytes>;
  const auto bytes = [](int columns) {
    return static_cast<std::uint64_t>(histogram_shared_bytes(KeyBytes, columns) + plan_shared_bytes);
  };
  tests::expect_a_shape_fits(bytes(tuning::columns), bytes(tuning::few_columns), tuned + plan_shared_bytes);
}

TEST(SortShapes, OfTheDigitsCountersFitEveryLimit) {
  expect_counters<1>(32768);
  expect_counters<2>(65536);
  expect_counters<4>(131072);
  expect_counters<8>(131072);
}

// Of two sequences that become one: every element that is taken, and values with it.
TEST(SortShapes, OfMergesFitEveryLimit) {
  for (const std::uint64_t limit : tests::shared_limits)
    for (const std::uint64_t values : {0, 1, 2, 4, 8})
      for (std::uint64_t keys = 1; keys <= cuda::largest_compared; ++keys)
        for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1} << 20, std::uint64_t{1} << 40}) {
          const cuda::two_tuning tuning{{keys, values}};
          const int threads = tuning.fitting(n, limit), items = tuning.items();
          ASSERT_TRUE(threads % 32 == 0 && threads >= 32 && items % 2 == 1) << keys;
          ASSERT_LE(tuning.cells.bytes(threads, items) + 256, limit) << keys << " and " << values;
          ASSERT_LT(threads * items, 1 << 16) << "a place is a number of two bytes";
        }
}

}  // namespace
}  // namespace upsweep
