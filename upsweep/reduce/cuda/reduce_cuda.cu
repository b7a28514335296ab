// The CUDA reduce for the built-in types and operators, and its place in the catalog.
#include "upsweep/reduce/reduce_cuda.cuh"

#include <chrono>

#include "upsweep/cuda/device_info.hpp"
#include "upsweep/cuda/type_dispatch.cuh"
#include "upsweep/reduce/reduce_problem.hpp"

namespace upsweep::detail::reduce_impl {

namespace {

void first_block(device& where, const problem& p) {
  cuda::with_any_kernel(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::reduce(where, p.in.as<const T>(), p.n, p.out.as<T>(), p.init.as<T>(), op, f);
  });
}

}  // namespace

std::span<const variant> cuda() {
  static const variant all[]{{
      .name = "reduce/first-block",
      .where = backend::cuda,
      .what = primitive::reduce,
      .kind = variant_kind::tuned,
      .year = 2026,
      .source = "upsweep",
      .teaches = "One launch at every size: one block, then one cluster through distributed shared memory, then blocks "
                 "all over the GPU whose values "
                 "the first block collects as tagged words, without fence or counter.",
      .work = {"n", [](double n) { return n; }},
      // A thread folds its columns, 16 bytes wide, one after the other. Two blocks of 512 threads run per
      // multiprocessor.
      .span = {"n/2048m + 70 on m multiprocessors",
               [](double n) { return n / (2048.0 * cuda::fewest_multiprocessors()) + 70; }},
      .launches = {"1", [](double) { return 1.0; }},
      .traffic = {"n", [](double n) { return n; }},
      .run = first_block,
  }};
  return all;
}

double seconds_to_load(device& where) {
  cuda::of(where).make_current();
  const auto began = std::chrono::steady_clock::now();
  cudaFuncAttributes code;
  cuda::check(
      cudaFuncGetAttributes(&code, cuda::one_block_reduce<std::uint32_t, plus, identity, reduce_tuning::one_block>),
      "loading reduce's kernels");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace upsweep::detail::reduce_impl
