// Which shape the ring takes for texts under which limit of shared memory.
#include "tests/shared_limits.hpp"
#include "upsweep/lex/cuda/lex_cuda_tuning.hpp"
#include "upsweep/lex/lex_implementation.hpp"

namespace upsweep::detail::lex_impl {
namespace {

// Four states that are followed, of which each has two numbers; the automaton's rows, its counts and its classes.
template <class Tuning>
std::uint64_t token_bytes() {
  using shape = typename Tuning::shape;
  return ring_bytes<shape>(128 + shape::tile, 40, 4 * (Tuning::rows_held + most_kinds) + 256);
}
template <class Shape>
std::uint64_t fields_bytes() {
  return ring_bytes<Shape>(Shape::tile, 8);
}

TEST(LexShapes, FitEveryLimit) {
  tests::expect_a_shape_fits(token_bytes<large_token_tuning>(), token_bytes<small_token_tuning>(), 198272);
  tests::expect_a_shape_fits(fields_bytes<large_fields_shape>(), fields_bytes<small_fields_shape>(), 185856);
}

}  // namespace
}  // namespace upsweep::detail::lex_impl
