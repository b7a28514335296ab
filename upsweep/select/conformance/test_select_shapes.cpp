// Which shape the CUDA passes over tiles take under which limit of shared memory. That what a stage holds besides its
// tile fits, too, is asserted where a pass is compiled (cuda/tiles.cuh).
#include "tests/shared_limits.hpp"
#include "upsweep/select/cuda/select_cuda_tuning.hpp"

namespace upsweep {
namespace {

template <class Shape>
std::uint64_t bytes_of(int element) {
  return std::uint64_t{Shape::stages} * Shape::tile * element;
}

template <int Bytes, int Largest>
void expect_select(std::uint64_t tuned) {
  using tuning = select_tuning<Bytes, Largest>;
  tests::expect_a_shape_fits(bytes_of<typename tuning::ring>(Bytes), bytes_of<typename tuning::small_ring>(Bytes),
                             tuned);
}

TEST(SelectShapes, FitEveryLimit) {
  expect_select<1, 1>(4 * 320 * 44);
  expect_select<2, 2>(4 * 320 * 38 * 2);
  expect_select<4, 4>(4 * 320 * 20 * 4);
  expect_select<8, 8>(4 * 320 * 10 * 8);
  expect_select<8, 4>(4 * 256 * 12 * 8);   // u32 and a value of 4 bytes
  expect_select<12, 8>(4 * 320 * 6 * 12);  // of 8
  expect_select<16, 8>(4 * 256 * 6 * 16);
  expect_select<32, 32>(4 * 256 * 3 * 32);
  expect_select<180, 180>(4 * 64 * 180);
  expect_select<400, 400>(4 * 64 * 400);
}

}  // namespace
}  // namespace upsweep
