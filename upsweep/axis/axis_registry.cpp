// The variants that a call of this algorithm chooses from.
#include <array>

#include "upsweep/axis/axis_problem.hpp"
#include "upsweep/core/host_chunks.hpp"

namespace upsweep::detail::axis_impl {

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
void run(const target& to, const problem& p) { upsweep::run<problem>(variants(), to, p); }

void run_from_host(const target& to, const problem& p) {
  device& d = to.on();
  if (d.kind() == backend::cpu) return run(to, p);
  const std::uint64_t size = size_of(p.type), bytes = p.n * size,
                      out_bytes = (p.what == primitive::axis_reduce ? p.along.count() : p.n) * size;
  const core::staging in(d, bytes), out(d, p.what == primitive::axis_reduce ? out_bytes : 0);
  problem there = p;
  there.in = in.where(), there.out = p.what == primitive::axis_reduce ? out.where() : in.where();
  if (bytes) d.upload(there.in, p.in.address(), bytes);
  run(to, there);
  if (out_bytes) d.download(p.out.address(), there.out, out_bytes);
}

}  // namespace upsweep::detail::axis_impl
