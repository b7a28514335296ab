// The CUDA scan for the built-in types and operators, and its place in the catalog.
#include "upsweep/scan/scan_cuda.cuh"

#include "upsweep/cuda/type_dispatch.cuh"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::detail::scan_impl {

namespace {

void look_ahead(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.n == 0) return;
  cuda::with_any_kernel(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    const cuda::initial<T> init(p.init.as<T>(), p.init_there.as<const T>());
    cuda::scan_sized(d, p.in.as<const T>(), p.n, p.out.as<T>(), p.inclusive, init, op, f);
  });
}

}  // namespace

std::span<const variant> cuda() {
  static const variant all[]{{
      .name = "scan/look-ahead",
      .where = backend::cuda,
      .what = primitive::scan,
      .kind = variant_kind::tuned,
      .year = 2026,
      .source = "upsweep",
      .teaches = "Single pass with aggregates alone: a warp of each block adds up what lies between the block's tiles, "
                 "rounds before it is needed, "
                 "while bulk copies fill and drain a ring of tiles.",
      .work = {"about 2n", [](double n) { return 2 * n; }},
      // The grouping: up to 28 elements per thread, trees over lanes and warps, batches of 32 tiles, and one chain of
      // batches. A batch has 30,720 elements of 8 bytes in the small shape, 147,456 in the large one; of 4 bytes twice
      // as many.
      .span = {"n/30720 + 80", [](double n) { return n / 30720 + 80; }},
      .launches = {"1", [](double) { return 1.0; }},
      .traffic = {"2n", [](double n) { return 2 * n; }},
      .run = look_ahead,
  }};
  return all;
}

}  // namespace upsweep::detail::scan_impl
