#include "upsweep/axis/axis_by_segments.hpp"

#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::detail::axis_impl {

void fold_by_segments(device& d, const problem& p) {
  const bool scans = p.what == primitive::axis_scan, across = p.along.inner > 1;
  const std::uint64_t bytes = size_of(p.type);
  detail::segmented_impl::problem s;
  static_cast<problem_head&>(s) = p, static_cast<folding&>(s) = p;
  s.what =
      scans ? detail::segmented_impl::primitive::segmented_scan : detail::segmented_impl::primitive::segmented_reduce;
  s.inclusive = p.inclusive, s.m = p.along.count();
  s.in2 = offsets_of(d, p.along);
  s.in = across ? gathered_lines(d, p.in, p.along, bytes) : p.in;
  s.out = scans && across ? s.in : p.out;
  detail::segmented_impl::run(d, s);
  if (scans && across) spread_lines(d, s.out, p.out, p.along, bytes);
}

}  // namespace upsweep::detail::axis_impl
