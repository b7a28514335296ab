// The CUDA reduce for the built-in types and operators, and its place in the catalog.
#include "upsweep/reduce/cuda.cuh"

#include "upsweep/cuda/erased.cuh"
#include "upsweep/reduce/problem.hpp"

namespace upsweep::reduce_room {

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
      .kind = rung::library,
      .year = 2026,
      .source = "upsweep",
      .teaches = "One launch at every size: one block, then one cluster through distributed shared memory, then blocks "
                 "all over the GPU whose values "
                 "the first block collects as tagged words, without fence or counter.",
      .work = {"n", [](double n) { return n; }},
      // A thread's columns are folded one after the other: of 264 blocks of 512 threads, 16 bytes wide.
      .span = {"n/270336 + 70", [](double n) { return n / 270336 + 70; }},
      .launches = {"1", [](double) { return 1.0; }},
      .traffic = {"n", [](double n) { return n; }},
      .run = first_block,
  }};
  return all;
}

}  // namespace upsweep::reduce_room
