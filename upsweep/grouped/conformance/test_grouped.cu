// Grouping under nvcc: values and operators of the user's own on the device. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/grouped.hpp"

namespace {

using namespace upsweep;

struct extent {
  std::uint32_t least, most, count;
  friend bool operator==(const extent& a, const extent& b) {
    return a.least == b.least && a.most == b.most && a.count == b.count;
  }
};
struct joined {
  UPSWEEP_HD extent operator()(const extent& a, const extent& b) const {
    return {a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most, a.count + b.count};
  }
  UPSWEEP_HD static extent identity() { return {~0u, 0, 0}; }
};

struct GroupedCuda : tests::on_cuda {};

TEST_F(GroupedCuda, OwnValuesAndOperators) {
  const context gpu = context::named("cuda:0");
  for (const std::uint64_t n : {0, 1, 257, 70001}) {
    std::vector<std::uint64_t> indices(n);
    std::vector<extent> values(n), want(101, joined::identity());
    for (std::uint32_t i = 0; i < n; ++i) {
      indices[i] = i * 2654435761u % 97;  // four buckets stay empty
      values[i] = {i, i, 1};
      want[indices[i]] = joined{}(want[indices[i]], values[i]);
    }
    const buffer<std::uint64_t> at(gpu, indices);
    const buffer<extent> in(gpu, values);
    buffer<extent> out(gpu, 101);
    reduce_by_index(gpu, at, in, out, joined{});
    EXPECT_EQ(out.download(), want) << n;
  }
}

}  // namespace
