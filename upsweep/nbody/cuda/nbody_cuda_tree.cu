#include "upsweep/nbody/cuda/nbody_cuda_domain_steps.cuh"
#include "upsweep/nbody/cuda/nbody_cuda_tree.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::detail::nbody_impl {

void tree_on_cuda(device& where, const problem& p) {
  if (p.n == 0) return;
  where.require_no_capture("nbody by a tree");
  upsweep::cuda::device& d = upsweep::cuda::of(where);
  d.make_current();
  tree_machine machine{d, textbook::stream_grid(d)};
  const textbook::nbody_tree::share_of_tree share{p.share.of == portion::unit::bodies, p.share.first, p.share.count,
                                                  p.order.as<std::uint32_t>()};
  if (p.type == dtype::f32)
    textbook::nbody_tree::pull_by_tree<float>(machine, p.in.as<const vec4<float>>(), p.out.as<vec4<float>>(), p.n,
                                              p.gravity, share);
  else
    textbook::nbody_tree::pull_by_tree<double>(machine, p.in.as<const vec4<double>>(), p.out.as<vec4<double>>(), p.n,
                                               p.gravity, share);
}

template <class T>
std::unique_ptr<domain_steps<T>> domain_steps_on_cuda(device& d) {
  return std::make_unique<steps_on_cuda<T>>(upsweep::cuda::of(d));
}
template std::unique_ptr<domain_steps<float>> domain_steps_on_cuda(device&);
template std::unique_ptr<domain_steps<double>> domain_steps_on_cuda(device&);

}  // namespace upsweep::detail::nbody_impl
