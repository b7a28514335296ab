// The namespace of the user's type contains unconstrained templates with our names. No call inside the library may find
// them.
#include <gtest/gtest.h>

#include "upsweep/upsweep.hpp"

namespace greedy {

struct taken {};  // returned by none of our functions

#define UPSWEEP_GREEDY(name)                        \
  template <class... X>                             \
  [[maybe_unused]] taken name(X&&...) {             \
    throw "a call inside the library found " #name; \
  }
UPSWEEP_GREEDY(reduce)
UPSWEEP_GREEDY(transform_reduce)
UPSWEEP_GREEDY(inclusive_scan)
UPSWEEP_GREEDY(exclusive_scan)
UPSWEEP_GREEDY(transform_inclusive_scan)
UPSWEEP_GREEDY(transform_exclusive_scan)
UPSWEEP_GREEDY(sort)
UPSWEEP_GREEDY(stable_sort)
UPSWEEP_GREEDY(sort_by_key)
UPSWEEP_GREEDY(argsort)
UPSWEEP_GREEDY(is_sorted)
UPSWEEP_GREEDY(is_sorted_until)
UPSWEEP_GREEDY(merge)
UPSWEEP_GREEDY(copy_if)
UPSWEEP_GREEDY(copy_flagged)
UPSWEEP_GREEDY(partition)
UPSWEEP_GREEDY(three_way_partition)
UPSWEEP_GREEDY(unique)
UPSWEEP_GREEDY(unique_by_key)
UPSWEEP_GREEDY(gather)
UPSWEEP_GREEDY(gather_if)
UPSWEEP_GREEDY(scatter)
UPSWEEP_GREEDY(scatter_if)
UPSWEEP_GREEDY(run_length_encode)
UPSWEEP_GREEDY(reduce_by_key)
UPSWEEP_GREEDY(inclusive_scan_by_key)
UPSWEEP_GREEDY(exclusive_scan_by_key)
UPSWEEP_GREEDY(segmented_reduce)
UPSWEEP_GREEDY(segmented_inclusive_scan)
UPSWEEP_GREEDY(segmented_exclusive_scan)
UPSWEEP_GREEDY(recur)
UPSWEEP_GREEDY(recurrence)
UPSWEEP_GREEDY(read_operand)
UPSWEEP_GREEDY(written_operand)
UPSWEEP_GREEDY(operand)
UPSWEEP_GREEDY(upload)
UPSWEEP_GREEDY(download)
UPSWEEP_GREEDY(run)
UPSWEEP_GREEDY(to_accumulator)
UPSWEEP_GREEDY(require_same_size)
UPSWEEP_GREEDY(require_capacity)
UPSWEEP_GREEDY(require_no_overlap)
UPSWEEP_GREEDY(bring)
UPSWEEP_GREEDY(folded)
UPSWEEP_GREEDY(scan_into)
UPSWEEP_GREEDY(sorted)
UPSWEEP_GREEDY(merged)
UPSWEEP_GREEDY(returned_count)
UPSWEEP_GREEDY(device_counted)
UPSWEEP_GREEDY(for_each_chunk)
UPSWEEP_GREEDY(for_each_chunk_of)
UPSWEEP_GREEDY(for_each_block)
UPSWEEP_GREEDY(reduce_custom)
UPSWEEP_GREEDY(scan_custom)
UPSWEEP_GREEDY(merge_sequentially)
UPSWEEP_GREEDY(begin)
UPSWEEP_GREEDY(end)
UPSWEEP_GREEDY(data)
UPSWEEP_GREEDY(size)

struct box {
  int x = 0;
  friend bool operator==(const box&, const box&) = default;
};
struct less {
  bool operator()(const box& a, const box& b) const { return a.x < b.x; }
};
struct sum {
  box operator()(const box& a, const box& b) const { return {a.x + b.x}; }
  static box identity() { return {}; }
};
struct is_odd {
  bool operator()(const box& b) const { return b.x % 2 != 0; }
};

}  // namespace greedy

namespace {

using greedy::box;
using boxes = std::vector<box>;

const upsweep::context& cpu() {
  static const auto c = upsweep::context::cpu(2);
  return c;
}

TEST(GreedyNames, FoldsAndScans) {
  const boxes x{{3}, {1}, {2}};
  boxes y(3);
  EXPECT_EQ(upsweep::reduce(cpu(), x, box{}, greedy::sum{}).x, 6);
  upsweep::inclusive_scan(cpu(), x, y, greedy::sum{});
  EXPECT_EQ(y[2].x, 6);
  upsweep::exclusive_scan(cpu(), x, y, box{10}, greedy::sum{});
  EXPECT_EQ(y[2].x, 14);
}

TEST(GreedyNames, Sorts) {
  boxes x{{3}, {1}, {2}};
  boxes values = x;
  upsweep::sort(cpu(), x, greedy::less{});
  EXPECT_EQ(x[0].x, 1);
  EXPECT_TRUE(upsweep::is_sorted(cpu(), x, greedy::less{}));
  x = {{3}, {1}, {2}};
  upsweep::stable_sort(cpu(), x, greedy::less{});
  x = {{3}, {1}, {2}};
  upsweep::sort_by_key(cpu(), x, values, greedy::less{});
  EXPECT_EQ(values[0].x, 1);
  std::vector<std::uint32_t> keys{3, 1, 2};
  upsweep::sort_by_key(cpu(), keys, values);
  std::vector<std::uint32_t> order(3);
  const boxes unsorted{{3}, {1}, {2}};
  upsweep::argsort(cpu(), unsorted, order, greedy::less{});
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 0}));
  boxes merged(6);
  upsweep::merge(cpu(), x, x, merged, greedy::less{});
  EXPECT_EQ(merged[5].x, 3);
}

TEST(GreedyNames, Selections) {
  const boxes x{{3}, {1}, {1}, {2}};
  boxes y(4);
  EXPECT_EQ(upsweep::copy_if(cpu(), x, y, greedy::is_odd{}), 3u);
  EXPECT_EQ(upsweep::partition(cpu(), x, y, greedy::is_odd{}), 3u);
  EXPECT_EQ(upsweep::unique(cpu(), x, y), 3u);
  const std::vector<std::uint64_t> from{2, 0};
  boxes some(2);
  upsweep::gather(cpu(), x, from, some);
  EXPECT_EQ(some[1].x, 3);
}

TEST(GreedyNames, BySegment) {
  const boxes x{{3}, {1}, {1}, {2}};
  const std::vector<std::uint64_t> offsets{0, 1, 4};
  boxes sums(2), running(4);
  upsweep::segmented_reduce(cpu(), x, offsets, sums, box{}, greedy::sum{});
  EXPECT_EQ(sums[1].x, 4);
  upsweep::segmented_inclusive_scan(cpu(), x, offsets, running, greedy::sum{});
  EXPECT_EQ(running[3].x, 4);
}

}  // namespace
