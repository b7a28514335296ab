// Lists the algorithm's variants, and chooses and runs one for a call.
#include <array>

#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/nbody/nbody_tuning.hpp"

namespace upsweep::detail::nbody_impl {

variant_lists variants() {
  static const std::array all{
      cpu(),
#if UPSWEEP_WITH_OPENCL
      opencl(),
#endif
#if UPSWEEP_WITH_CUDA
      cuda(),
#endif
  };
  return all;
}

const variant& choose(const target& to, const problem& p) { return upsweep::choose<problem>(variants(), to, p); }
bool can_run(const target& to, const problem& p) { return upsweep::can_run<problem>(variants(), to, p); }

void run(const target& to, const problem& p) {
  // The textbook variants ignore portions, and would write past the end of the output.
  if (p.share.of != portion::unit::all && choose(to, p).kind != variant_kind::tuned)
    throw error(fault::unsupported, std::string(choose(to, p).name),
                "a textbook variant does not compute a part of a problem",
                "leave the choice to each rank of the communicator");
  upsweep::run<problem>(variants(), to, p);
}

// On CUDA each pair is met once, for both bodies, which halves the work; where there are few bodies it does not pay.
bool takes_pairs(const target& to, const problem& p) {
  const gravitation& g = p.gravity;
  return to.on().kind() == backend::cuda && p.n >= cuda_mutual_from && !g.jerks && !g.compensated &&
         g.method == nbody_method::all_pairs;
}

}  // namespace upsweep::detail::nbody_impl
