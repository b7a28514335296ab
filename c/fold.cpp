// Folds: reduce and scan, of a sequence and along an axis.
#include "c/along.hpp"
#include "c/call.hpp"
#include "upsweep/axis/axis_problem.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/scan/scan_problem.hpp"

using namespace upsweep;
using c::call;
using c::guarded;
using core::require_no_overlap;

upsweep_status upsweep_reduce(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                              upsweep_operator op, upsweep_transform transform, const void* host_init, void* out) {
  return guarded([&] {
    const call k("reduce", context);
    detail::reduce_impl::problem p;
    k.fold(p, type, op, transform, host_init);
    const auto from = k.in("the input", p.type, in, n);
    const auto to = k.out("the output", p.type, out, 1);
    require_no_overlap(k.name, k.where, {{"the input", from}, {"the output", to}});
    p.in = from.where(), p.out = to.where(), p.n = n;
    detail::reduce_impl::run(k.where, p);
  });
}

upsweep_status upsweep_scan(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                            int inclusive, upsweep_operator op, upsweep_transform transform, const void* host_init,
                            void* out) {
  return guarded([&] {
    const call k("scan", context);
    detail::scan_impl::problem p;
    k.fold(p, type, op, transform, host_init);
    const auto from = k.in("the input", p.type, in, n);
    const auto to = k.out("the output", p.type, out, n);
    require_no_overlap(k.name, k.where, {{"the input", from}, {"the output", to}}, 1);
    p.in = from.where(), p.out = to.where(), p.n = n, p.inclusive = inclusive;
    detail::scan_impl::run(k.where, p);
  });
}

upsweep_status upsweep_reduce_along(const upsweep_context* context, upsweep_type type, const void* in,
                                    const uint64_t* host_shape, int axes, int axis, upsweep_operator op,
                                    upsweep_transform transform, const void* host_init, void* out) {
  return guarded([&] {
    const call k("reduce_along", context);
    detail::axis_impl::problem p;
    k.fold(p, type, op, transform, host_init);
    p.along = c::lines_of(k, host_shape, axes, axis), p.n = p.along.elements();
    const auto from = k.in("the input", p.type, in, p.n);
    const auto to = k.out("the output", p.type, out, p.along.count());
    require_no_overlap(k.name, k.where, {{"the input", from}, {"the output", to}});
    p.in = from.where(), p.out = to.where();
    detail::axis_impl::run(k.where, p);
  });
}

upsweep_status upsweep_scan_along(const upsweep_context* context, upsweep_type type, const void* in,
                                  const uint64_t* host_shape, int axes, int axis, int inclusive, upsweep_operator op,
                                  upsweep_transform transform, const void* host_init, void* out) {
  return guarded([&] {
    const call k(inclusive ? "inclusive_scan_along" : "exclusive_scan_along", context);
    detail::axis_impl::problem p;
    p.what = detail::axis_impl::primitive::axis_scan, p.inclusive = inclusive;
    k.fold(p, type, op, transform, host_init);
    p.along = c::lines_of(k, host_shape, axes, axis), p.n = p.along.elements();
    const auto from = k.in("the input", p.type, in, p.n);
    const auto to = k.out("the output", p.type, out, p.n);
    require_no_overlap(k.name, k.where, {{"the input", from}, {"the output", to}}, 1);
    p.in = from.where(), p.out = to.where();
    detail::axis_impl::run(k.where, p);
  });
}
