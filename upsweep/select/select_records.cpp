#include "upsweep/select/select_records.hpp"

#include "upsweep/select/select_problem.hpp"
#include "upsweep/sort/sort_records.hpp"
#include "upsweep/transform/transform_problem.hpp"

namespace upsweep::detail::select_impl {

void move_records([[maybe_unused]] device& d, const moved_records& r) {
  if (r.n == 0) return;
#if UPSWEEP_WITH_CUDA
  if (d.kind() == backend::cuda) return move_records_on_cuda(d, r);
#endif
#if UPSWEEP_WITH_OPENCL
  if (d.kind() == backend::opencl) return move_records_on_opencl(d, r);
#endif
}

// A list of places is repeated, and the elements follow it.
void repeat_records(device& d, memory in, std::uint64_t bytes, memory lengths, std::uint64_t n, std::uint64_t m,
                    memory out) {
  if (n == 0 || m == 0) return;
  detail::transform_impl::problem own;
  own.what = detail::transform_impl::primitive::iota, own.type = dtype::u64, own.n = n;
  own.out = d.scratch("select/own places", n * sizeof(std::uint64_t));
  own.value = scalar::of(std::uint64_t{0}), own.step = scalar::of(std::uint64_t{1});
  detail::transform_impl::run(d, own);
  problem p;
  p.what = primitive::expand_runs, p.type = dtype::u64, p.n = n, p.m = m;
  p.in = own.out, p.in2 = lengths, p.out = d.scratch("select/places repeated", m * sizeof(std::uint64_t));
  detail::select_impl::run(d, p);
  detail::sort_impl::gather_records(d, in, bytes, p.out, sizeof(std::uint64_t), m, out);
}

}  // namespace upsweep::detail::select_impl
