// The merge sort's kernels for GPUs, on whatever OpenCL device there is: a CPU's have a shape of their own.
#include "tests/jit_operators.hpp"
#include "upsweep/sort/opencl/sort_opencl_merge.hpp"

namespace {

using namespace upsweep;

struct MergeShapes : testing::TestWithParam<opencl::merge_shape> {};
INSTANTIATE_TEST_SUITE_P(, MergeShapes,
                         testing::Values(opencl::merge_shape{256, 8}, opencl::merge_shape{64, 3},
                                         opencl::merge_shape{32, 1}, opencl::merge_shape{1, 64}));

TEST_P(MergeShapes, SortAndMerge) {
  for (const std::string& name : tests::device_names()) {
    const context& where = tests::on(name);
    if (where.kind() != backend::opencl) continue;
    opencl::merge_shape& shape = opencl::shape_of_merges(opencl::of(where.device()));
    const opencl::merge_shape before = shape;
    shape = GetParam();
    for (const std::size_t n : {1, 2, 63, 64, 65, 191, 193, 2047, 2048, 2049, 10007, 100003}) {
      SCOPED_TRACE("n = " + std::to_string(n));
      auto x = made_many<record>(n, 11);
      auto want = x;
      std::stable_sort(want.begin(), want.end(), by_record_key{});
      buffer<record> keys(where, x), others(where, x);
      buffer<std::uint64_t> places(where, n);
      iota(where, places.span());
      sort_by_key(where, keys, places, by_record_key{});
      expect_same(keys.download(), want, "keys");
      const auto moved = places.download();
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(moved[i], want[i].tag) << "value " << i;
      sort(where, others, by_record_key{});
      expect_same(others.download(), want, "keys alone");
      const auto middle = n / 3;
      std::stable_sort(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(middle), by_record_key{});
      std::stable_sort(x.begin() + static_cast<std::ptrdiff_t>(middle), x.end(), by_record_key{});
      buffer<record> a(where, std::span<const record>(x).first(middle)),
          b(where, std::span<const record>(x).subspan(middle));
      merge(where, a, b, others, by_record_key{});
      expect_same(others.download(), want, "merged");
    }
    shape = before;
  }
}

}  // namespace
