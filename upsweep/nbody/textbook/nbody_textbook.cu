// The textbook variants of nbody, in teaching order. Each variant is one file in textbook/.
#include "upsweep/cuda/textbook_catalog_entry.cuh"
#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/nbody/textbook/nbody_register_blocked.cuh"
#include "upsweep/nbody/textbook/nbody_shared_tile.cuh"
#include "upsweep/nbody/textbook/split_j.cuh"
#include "upsweep/nbody/textbook/thread_per_body.cuh"

namespace upsweep::detail::nbody_impl {

template <class Variant>
void run(device& d, const problem& p) {
  if (p.n == 0) return;
  textbook::stream_grid grid(upsweep::cuda::of(d));
  textbook::nbody_variants::with_real(p, [&]<class T>(type_tag<T>) {
    Variant::template run<T>(
        grid, p.in.as<vec4<T>>(), p.out.as<vec4<T>>(), p.n, static_cast<T>(p.gravity.softening * p.gravity.softening),
        textbook::nbody_variants::result_form<T>{static_cast<T>(p.gravity.constant), p.gravity.potentials},
        textbook::nbody_variants::newton{});
  });
}

template <class Variant>
variant entry() {
  return textbook::textbook_entry_for<Variant>(primitive::nbody, run<Variant>);
}

std::span<const variant> cuda_textbook() {
  using namespace textbook::nbody_variants;
  static const variant all[]{
      entry<thread_per_body<>>(),
      entry<shared_tile<>>(),
      entry<register_blocked<>>(),
      entry<split_j<>>(),
  };
  return all;
}

}  // namespace upsweep::detail::nbody_impl
