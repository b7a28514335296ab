// The variants that a call of reduce chooses from.
#include <array>

#include "upsweep/reduce/reduce_problem.hpp"

namespace upsweep::detail::reduce_impl {

variant_lists variants() {
  static const std::array all{
      cpu(),
#if UPSWEEP_WITH_CUDA
      cuda(),
#endif
#if UPSWEEP_WITH_OPENCL
      opencl(),
#endif
  };
  return all;
}

variant_lists reproducible() {
  static const std::array all{
      reproducible_cpu(),
#if UPSWEEP_WITH_CUDA
      reproducible_cuda(),
#endif
#if UPSWEEP_WITH_OPENCL
      reproducible_opencl(),
#endif
  };
  return all;
}

namespace {

// The variant with the same bits on every device, if the caller requests that and the fold rounds; otherwise null. Also
// null if the caller requested another variant by name.
const variant* same_everywhere(const target& to, const problem& p) {
  if (!to.same_on_every_device() || !rounds(p)) return nullptr;
  const variant* const v = fastest<problem>(reproducible(), to.on(), p);
  const void* const asked = to.asked_for(name_of(p.what));
  return asked && asked != v ? nullptr : v;
}

}  // namespace

const variant& choose(const target& to, const problem& p) {
  if (const variant* v = same_everywhere(to, p)) return *v;
  return upsweep::choose<problem>(variants(), to, p);
}
bool can_run(const target& to, const problem& p) {
  return same_everywhere(to, p) || upsweep::can_run<problem>(variants(), to, p);
}
void run(const target& to, const problem& p) { upsweep::run_as<problem>(detail::reduce_impl::choose(to, p), to, p); }

}  // namespace upsweep::detail::reduce_impl
