// The rows of tokens and fields: which shape the ring takes for a text.
#include "upsweep/cuda/tuning_policies.hpp"

#include "upsweep/lex/cuda/lex_cuda_fields.cuh"
#include "upsweep/lex/cuda/lex_cuda_tokens.cuh"

namespace upsweep::detail::lex_impl {

namespace {

template <class Work>
cuda::tuning_policy row(std::string_view variant, std::string_view name, bool timed) {
  using shape = typename Work::shape;
  return cuda::row_of<shape>(variant, "1 byte", name, shape::stages, sizeof(cuda::tile_ring_shared<Work>), timed);
}

}  // namespace

std::vector<cuda::tuning_policy> cuda_rows() {
  using large_tokens = cuda::token_work<large_token_tuning>;
  using small_tokens = cuda::token_work<small_token_tuning>;
  return {row<large_tokens>("tokens/subset-run-up", "large", true),
          row<small_tokens>("tokens/subset-run-up", "small", false),
          row<large_tokens>("fields/subset-run-up", "large", true),
          row<small_tokens>("fields/subset-run-up", "small", false),
          row<cuda::fields_work<large_fields_shape>>("fields/quote-parity", "large", true),
          row<cuda::fields_work<small_fields_shape>>("fields/quote-parity", "small", false)};
}

}  // namespace upsweep::detail::lex_impl
