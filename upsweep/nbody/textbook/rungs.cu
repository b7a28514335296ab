// The textbook of nbody, in teaching order. Each rung is one file in textbook/.
#include "upsweep/cuda/rung_entry.cuh"
#include "upsweep/nbody/problem.hpp"
#include "upsweep/nbody/textbook/register_blocked.cuh"
#include "upsweep/nbody/textbook/shared_tile.cuh"
#include "upsweep/nbody/textbook/split_j.cuh"
#include "upsweep/nbody/textbook/thread_per_body.cuh"

namespace upsweep::nbody_room {

template <class Rung>
void run(device& d, const problem& p) {
  if (p.n == 0) return;
  textbook::stream_grid grid(upsweep::cuda::of(d));
  textbook::nbody_rungs::with_real(p, [&]<class T>(type_tag<T>) {
    Rung::template run<T>(
        grid, p.in.as<four<T>>(), p.out.as<four<T>>(), p.n, static_cast<T>(p.gravity.softening * p.gravity.softening),
        textbook::nbody_rungs::result_form<T>{static_cast<T>(p.gravity.constant), p.gravity.potentials},
        textbook::nbody_rungs::newton{});
  });
}

template <class Rung>
variant entry() {
  return textbook::rung_entry_for<Rung>(primitive::nbody, run<Rung>);
}

std::span<const variant> cuda_textbook() {
  using namespace textbook::nbody_rungs;
  static const variant all[]{
      entry<thread_per_body<>>(),
      entry<shared_tile<>>(),
      entry<register_blocked<>>(),
      entry<split_j<>>(),
  };
  return all;
}

}  // namespace upsweep::nbody_room
