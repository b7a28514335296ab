#include "upsweep/axis/by_segments.hpp"

#include "upsweep/segmented/problem.hpp"

namespace upsweep::axis_room {

void fold_by_segments(device& d, const problem& p) {
  const bool scans = p.what == primitive::axis_scan, across = p.along.inner > 1;
  const std::uint64_t bytes = size_of(p.type);
  segmented_room::problem s;
  static_cast<problem_head&>(s) = p, static_cast<folding&>(s) = p;
  s.what = scans ? segmented_room::primitive::segmented_scan : segmented_room::primitive::segmented_reduce;
  s.inclusive = p.inclusive, s.m = p.along.count();
  s.in2 = offsets_of(d, p.along);
  s.in = across ? gathered_lines(d, p.in, p.along, bytes) : p.in;
  s.out = scans && across ? s.in : p.out;
  segmented_room::run(d, s);
  if (scans && across) spread_lines(d, s.out, p.out, p.along, bytes);
}

}  // namespace upsweep::axis_room
