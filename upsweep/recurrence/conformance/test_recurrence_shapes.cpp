// Which shape the ring takes for recurrences under which limit of shared memory.
#include "tests/shared_limits.hpp"
#include "upsweep/recurrence/cuda/recurrence_cuda_tuning.hpp"

namespace upsweep {
namespace {

template <class Tuning, int Bytes, int Sequences>
void expect_streamed(std::uint64_t value_bytes, std::uint64_t tuned) {
  const auto bytes = [&]<class Shape>(Shape) {
    return ring_bytes<Shape>(Shape::tile * Bytes * Sequences, value_bytes, 2 * Bytes);
  };
  tests::expect_a_shape_fits(bytes(typename Tuning::large{}), bytes(typename Tuning::small{}), tuned);
}

TEST(RecurrenceShapes, FitEveryLimit) {
  expect_streamed<streamed_recurrence_tuning<4, 2>, 4, 2>(8, 222080);
  expect_streamed<streamed_recurrence_tuning<8, 2>, 8, 2>(16, 222976);
  expect_streamed<streamed_recurrence_tuning<4, 1>, 4, 1>(8, 215936);
  expect_streamed<streamed_recurrence_tuning<8, 1>, 8, 1>(48, 219264);  // a section's map, with its matrix
}

// Maps of any size that CUDA folds, with a state as large.
TEST(RecurrenceShapes, OfLargeMapsFit) {
  using tuning = stepped_recurrence_tuning<4096>;
  EXPECT_LE(ring_bytes<tuning::small>(1, 4096, 4096), least_shared_limit);
  EXPECT_LE(ring_bytes<stepped_recurrence_tuning<32>::large>(1, 32, 32), least_shared_limit);
}

}  // namespace
}  // namespace upsweep
