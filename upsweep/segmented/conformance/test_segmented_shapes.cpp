// Which shape the CUDA passes by key and by segment take under which limit of shared memory. That what a stage holds
// besides its tile fits, too, is asserted where a pass is compiled (../select/cuda/select_tiles.cuh).
#include "tests/shared_limits.hpp"
#include "upsweep/segmented/cuda/segmented_cuda_tuning.hpp"

namespace upsweep {
namespace {

template <class Shape>
std::uint64_t bytes_of(int element) {
  return std::uint64_t{Shape::stages} * Shape::tile * element;
}

template <int Bytes, int Largest>
void expect_by_key(std::uint64_t tuned) {
  using tuning = by_key_tuning<Bytes, Largest>;
  tests::expect_a_shape_fits(bytes_of<typename tuning::ring>(Bytes), bytes_of<typename tuning::small_ring>(Bytes),
                             tuned);
  static_assert(tuning::small_ring::items <= 32 && tuning::small_ring::tile % 32 == 0);
}

TEST(ByKeyShapes, FitEveryLimit) {
  expect_by_key<4, 4>(4 * 512 * 20 * 4);  // segments, whose heads are bits
  expect_by_key<8, 8>(4 * 512 * 10 * 8);
  expect_by_key<8, 4>(4 * 512 * 12 * 8);  // keys of 4 bytes, and values
  expect_by_key<12, 8>(4 * 512 * 6 * 12);
  expect_by_key<16, 8>(4 * 512 * 6 * 16);
}

TEST(SegmentTiles, AreReadAgainWhereThatIsLittle) {
  EXPECT_TRUE(fit_for_tiles_alone(4091, 41, 4));
  EXPECT_TRUE(fit_for_tiles_alone(1 << 14, 1, 4));  // 64 KB, however long
  EXPECT_FALSE(fit_for_tiles_alone((1 << 14) + 1, 1, 4));
  EXPECT_TRUE(fit_for_tiles_alone(1 << 16, 8, 4));  // 32 KB a segment
  EXPECT_FALSE(fit_for_tiles_alone(1 << 16, 3, 4));
  EXPECT_TRUE(fit_for_tiles_alone(1 << 17, 1 << 10, 4));  // 512 bytes
  EXPECT_FALSE(fit_for_tiles_alone(1 << 18, 1 << 15, 4));
  EXPECT_FALSE(fit_for_tiles_alone(1 << 17, 0, 4));
  EXPECT_FALSE(fit_for_tiles_alone(4091, 512, 4));  // fewer than eight to a segment
}

}  // namespace
}  // namespace upsweep
