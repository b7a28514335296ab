// Which shape the CUDA scan's ring takes under which limit of shared memory.
#include "tests/shared_limits.hpp"
#include "upsweep/scan/cuda/scan_cuda_tuning.hpp"

namespace upsweep {
namespace {

template <int Bytes>
void expect_scan(std::uint64_t tuned) {
  using tuning = scan_tuning<Bytes>;
  const auto bytes = []<class Shape>(Shape) { return ring_bytes<Shape>(Shape::tile * Bytes, Bytes); };
  const std::uint64_t large = bytes(typename tuning::large{});
  tests::expect_a_shape_fits(large, bytes(typename tuning::small{}), tuned);
  EXPECT_LE(bytes(typename tuning::middle{}), large);  // so that where the large one fits, this one does
}

TEST(ScanShapes, FitEveryLimit) {
  expect_scan<1>(221568);
  expect_scan<2>(221696);
  expect_scan<4>(222080);
  expect_scan<8>(222848);
}

}  // namespace
}  // namespace upsweep
